"""Commands for whoever runs the board: `flask --app wsgi COMMAND`."""

from flask import Flask

from tradeboard.cli import (
    api_keys,
    audit,
    backing_up,
    board,
    copying,
    identity,
    jobs,
    keys,
    people,
    photos,
    reading,
    setting_up,
    static,
)


def init_app(app: Flask) -> None:
    """Hang the commands on the app."""
    for command in (
        api_keys.api_keys,
        audit.audit,
        backing_up.backup,
        backing_up.examine,
        backing_up.restore,
        board.listings,
        copying.copy_database,
        identity.identity,
        jobs.scheduler,
        jobs.jobs,
        keys.keys,
        people.accounts,
        photos.photos,
        reading.blacklist,
        reading.trades,
        setting_up.demo,
        static.static,
    ):
        app.cli.add_command(command)

"""Commands for whoever runs the board: `flask --app wsgi COMMAND`."""

from flask import Flask

from tradeboard.cli import (
    api_keys,
    audit,
    identity,
    jobs,
    keys,
    people,
    reading,
    setting_up,
)


def init_app(app: Flask) -> None:
    """Hang the commands on the app."""
    for command in (
        api_keys.api_keys,
        audit.audit,
        identity.identity,
        jobs.scheduler,
        jobs.jobs,
        keys.keys,
        people.accounts,
        reading.blacklist,
        reading.trades,
        setting_up.demo,
    ):
        app.cli.add_command(command)

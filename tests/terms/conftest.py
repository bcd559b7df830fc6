"""An application with one more page, which asks for agreement in its middle."""

import pytest
from flask import Blueprint, render_template_string, request

from tests import databases
from tests.conftest import new_app, start_empty
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.terms import interlude, services

PAGE = """<main><form action="/writing?x=1" method="post">
<input type="hidden" name="csrf_token" value="{{ csrf_token() }}">
<input name="title"><textarea name="note"></textarea>
<button name="do" value="post">post</button></form></main>"""


def pages_of_the_test():
    bp = Blueprint("writing", __name__)

    @bp.get("/writing")
    def page():
        return render_template_string(PAGE)

    @bp.post("/writing")
    def write():
        return interlude.pause() or "|".join(
            request.form.get(name, "") for name in ("title", "note", "do")
        )

    return bp


@pytest.fixture(scope="session")
def writing_apps(tmp_path_factory, ring):
    made = {}

    def get(kind):
        if kind not in made:
            folder = tmp_path_factory.mktemp(f"terms-{kind}")
            made[kind] = new_app(folder, ring, databases.url(kind, folder))
            made[kind].register_blueprint(pages_of_the_test())
        return made[kind]

    yield get
    for app in made.values():
        with app.app_context():
            db.engine.dispose()


@pytest.fixture(params=databases.KINDS)
def app(request, writing_apps):
    """Return it on a database that has the first terms and nothing else."""
    app = writing_apps(request.param)
    with app.app_context():
        start_empty(app)
        with transaction():
            services.publish_packaged(clock.now())
        yield app
        db.session.remove()

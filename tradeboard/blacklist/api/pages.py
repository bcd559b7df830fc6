"""What the API is: for programs as OpenAPI, for people as a page."""

import json

from flask import Blueprint, current_app, jsonify, render_template

from tradeboard.api import rules
from tradeboard.blacklist.api.document import document
from tradeboard.blacklist.api.operations import LINES, OPERATIONS
from tradeboard.blacklist.api.schemas import EXAMPLES
from tradeboard.web.access import public

bp = Blueprint("api_document", __name__)


@bp.get("/api/v1/openapi.json")
@public
def openapi():
    """Return the document; any site may read it."""
    config = current_app.config
    response = jsonify(document(config["PUBLIC_URL"], f"{config['SITE_NAME']} API"))
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    response.headers["Cache-Control"] = "public, max-age=300"
    return response


@bp.get("/api")
@public
def page():
    """Explain it to people, with examples to try."""
    return render_template(
        "api/show.html",
        operations=OPERATIONS,
        examples={name: _shown(name) for name in EXAMPLES},
        server=current_app.config["PUBLIC_URL"],
        scopes=rules.SCOPES,
        per_minute=f"{rules.PER_MINUTE:,}",
        lines=LINES,
    )


def _shown(name: str) -> str:
    return json.dumps(EXAMPLES[name], ensure_ascii=False, indent=2)

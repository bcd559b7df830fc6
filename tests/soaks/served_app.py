"""The application as gunicorn serves it to the soaks, with a look inside.

Compiled templates are shared by the workers where the environment names a folder.
"""

import os
from pathlib import Path

from flask import jsonify
from jinja2 import FileSystemBytecodeCache

from tradeboard.core.db import db
from tradeboard.web.access import public
from wsgi import app

TEMPLATES = os.environ.get("TEST_TEMPLATES")
if TEMPLATES:
    app.jinja_env.bytecode_cache = FileSystemBytecodeCache(TEMPLATES)


@app.get("/inside")
@public
def inside():
    """Say how much of the pool and of memory this worker holds."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    rss = next(line.split()[1] for line in status.splitlines() if "VmRSS" in line)
    pool = db.engine.pool
    checked_out = getattr(pool, "checkedout", lambda: 0)
    return jsonify(pid=os.getpid(), checkedout=checked_out(), rss_kb=int(rss))

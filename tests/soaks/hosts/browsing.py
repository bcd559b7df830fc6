"""A browser on one of the client's addresses."""

from urllib.parse import urljoin

import requests
from requests.adapters import HTTPAdapter

from tests import page_forms
from tests.factories import make_session
from tradeboard.core.db import db

PATIENCE = 40.0


class _From(HTTPAdapter):
    def __init__(self, address: str):
        self.address = address
        super().__init__()

    def init_poolmanager(self, *args, **kwargs):
        """Connect from that address."""
        kwargs["source_address"] = (self.address, 0)
        super().init_poolmanager(*args, **kwargs)


class Browser:
    """Keeps cookies, whichever host answers; follows nothing by itself."""

    def __init__(self, address: str, base: str):
        self.base = base
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.mount("http://", _From(address))
        self.cookies: dict[str, str] = {}

    def at(self, base: str) -> "Browser":
        """Go on with another host; cookies come along."""
        self.base = base
        return self

    def copy(self, address: str) -> "Browser":
        """Return another browser with the same cookies, as a thief would have."""
        other = Browser(address, self.base)
        other.cookies = dict(self.cookies)
        return other

    def get(self, path: str, **headers) -> requests.Response:
        """Open a page."""
        return self._ask("GET", path, headers)

    def submit(self, page: str, action: str | None = None, **fields):
        """Open a page, fill in its form and send it."""
        html = self.get(page).text
        form = page_forms.find_form(html, action, names=set(fields))
        data = form.values() | fields
        path = urljoin(page, form.action or page)
        return self._ask("POST", path, {}, data=data)

    def is_signed_in(self) -> bool:
        """Tell whether the board knows who this is."""
        return self.get("/me").status_code == 200

    def _ask(self, method: str, path: str, headers, **more) -> requests.Response:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {**headers, "Connection": "close"}
        if cookie:
            headers["Cookie"] = cookie
        answer = self.session.request(
            method,
            self.base + path,
            headers=headers,
            allow_redirects=False,
            timeout=PATIENCE,
            **more,
        )
        for name, value in answer.cookies.items():
            self.cookies[name] = value
        self.session.cookies.clear()
        return answer


def signed_in(app, account, address: str, base: str) -> Browser:
    """Return a browser in which somebody is signed in."""
    signer = app.session_interface.get_signing_serializer(app)
    browser = Browser(address, base)
    value = signer.dumps({"_user_id": make_session(account)})
    browser.cookies[app.config["SESSION_COOKIE_NAME"]] = value
    db.session.rollback()
    return browser

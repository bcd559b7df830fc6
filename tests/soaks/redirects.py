"""S9: no way that a request names leads off the board, whoever takes it."""

from urllib.parse import urlsplit

from tests import pages
from tests.factories import PASSWORD, make_account, make_session
from tests.soaks.telling import Telling
from tradeboard.accounts import passwords
from tradeboard.accounts.rules.standing import Role
from tradeboard.web.access import safe_next

EVIL = "evil.example"
PAYLOADS = (
    f"https://{EVIL}/",
    f"http:{EVIL}",
    f"http:/{EVIL}",
    f"http:///{EVIL}",
    f"//{EVIL}",
    f"///{EVIL}",
    f"////{EVIL}/%2e%2e",
    f"/\\{EVIL}",
    f"\\\\{EVIL}",
    f"\\/{EVIL}",
    f"/\t/{EVIL}",
    f"/\n/{EVIL}",
    f"/\r\n/{EVIL}",
    f"\t//{EVIL}",
    f" //{EVIL}",
    f"/ /{EVIL}",
    f"/%09/{EVIL}",
    f"/%0a/{EVIL}",
    f"/%2f{EVIL}",
    f"/%2f%2f{EVIL}",
    f"/%5c{EVIL}",
    f"/.//{EVIL}",
    f"/..//{EVIL}",
    f"/;//{EVIL}",
    f"/?//{EVIL}\\",
    f"/#//{EVIL}\x00",
    f"//{EVIL}@localhost/me",
    f"//localhost@{EVIL}/me",
    f"/me@{EVIL}",
    f"{EVIL}",
    f"javascript://{EVIL}/%0aalert(1)",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    f"\u3000//{EVIL}",
    f"/\u2028/{EVIL}",
    f"/\u202e/{EVIL}",
    f"／／{EVIL}",  # noqa: RUF001 (as wide as it is meant)
    f"//{EVIL}%23.localhost/me",
    f"https://localhost:pw@{EVIL}/me",
    f"http://[::1]@{EVIL}/",
    f"/me\r\nLocation: https://{EVIL}/",
    f"/me%0d%0aLocation:%20https://{EVIL}/",
    "/nowhere",
    "/logout",
    "/me/../../nowhere",
    "/" + "a" * 5000,
)


def s9(app, *, quick: bool) -> dict:
    """Give every payload to every page that takes an address to come back to."""
    told = Telling("S9", quick)
    takers = Takers(app)
    external = failed = tried = 0
    for payload in PAYLOADS:
        led = safe_next(payload)
        told.check(led is None or _stays(led), f"{payload!r} leads to {led!r}")
        for taker in takers.all(quick=quick):
            answer = taker(payload)
            tried += 1
            there = answer.headers.get("Location", "/")
            external += not _stays(there)
            failed += answer.status_code >= 500
            told.check(_stays(there), f"{taker.__name__}: {payload!r} -> {there!r}")
            told.check(answer.status_code < 500, f"{taker.__name__}: {payload!r} fails")
            leads = f'href="{payload}"' in answer.text
            told.check(not leads, f"{taker.__name__}: {payload!r} is a link")
    told.check(safe_next("/me/devices") == "/me/devices", "a page of ours is refused")
    told.check(safe_next("/?q=a&after=b") == "/?q=a&after=b", "a question is refused")
    return told.tell(n=tried, payloads=len(PAYLOADS), external=external, failed=failed)


def _stays(address: str) -> bool:
    """Tell whether a browser would stay here."""
    plain = address.isprintable() and "\\" not in address and " " not in address
    there = urlsplit(address)
    here = not there.scheme and not there.netloc and address.startswith("/")
    return plain and here and not address.startswith("//")


class Takers:
    """The pages that take an address, each asked as a browser would."""

    def __init__(self, app):
        self.app = app
        hashed = passwords.hash_password(PASSWORD)
        self.dora = make_account("dora", password_hash=hashed)
        self.staff = make_account("mods", role=Role.MODERATOR)
        self.visitor = app.test_client()
        self.member = self._signed_in(self.dora)
        self.moderator = self._signed_in(self.staff)
        self.token = pages.form_fields(pages.get(self.visitor, "/login"), "/login")

    def _signed_in(self, account):
        client = self.app.test_client()
        token = make_session(account)
        with client.session_transaction() as session:
            session["_user_id"] = token
        return client

    def all(self, *, quick: bool):
        """Return those that are asked; in a hurry not those that hash passwords."""
        cheap = [
            self.preferences,
            self.here_already,
            self.asked,
            self.second,
            self.sent,
        ]
        return cheap if quick else [*cheap, self.log_in, self.register]

    def preferences(self, payload):
        """Change the theme."""
        data = {"theme": "dark", "next": payload}
        headers = {"Origin": "http://localhost"}
        return self.visitor.post("/preferences", data=data, headers=headers)

    def here_already(self, payload):
        """Open the log-in page while signed in."""
        return self.member.get("/login", query_string={"next": payload})

    def asked(self, payload):
        """Open the page for registering."""
        return self.visitor.get("/register", query_string={"next": payload})

    def second(self, payload):
        """Open the page of the second factor, as somebody who has shown it."""
        return self.moderator.get("/login/second", query_string={"next": payload})

    def sent(self, payload):
        """Bring a form along that would be sent after the log-in."""
        data = self.token | {"carried": payload, "email": "dora", "password": ""}
        return self.visitor.post("/login", data=data)

    def log_in(self, payload):
        """Log in."""
        client = self.app.test_client()
        given = {"email": "dora", "password": PASSWORD, "next": payload}
        return pages.submit(client, "/login", "/login", **given)

    def register(self, payload):
        """Register; the handle is taken, so nothing is made."""
        given = {"email": "d@example.org", "password": PASSWORD, "next": payload}
        page = "/register"
        return pages.submit(self.visitor, page, page, handle="dora", **given)

"""S8 over HTTP: photos of phones go to a real server and become upright and small."""

import http.client
import io
import os
import re
import secrets
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from tests import pictures, sizes
from tests.factories import make_account, make_session
from tests.page_forms import find_form
from tests.soaks import guarantees, phone_photos
from tests.soaks.boards import ROOT, application, board
from tests.soaks.phone_photos import Camera, Shot
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.transaction import transaction
from tradeboard.listings.models import Listing, Photo
from tradeboard.listings.rules import states

TWELVE, SMALL = (4032, 3024), (1008, 756)
PEOPLE = 4
PIECE = 64 * 1024
MOST_RISE = 200_000_000
MOST_BYTES = 1_500_000
AT_ONCE = 2
TRIES = 20


def main(*, quick: bool, minutes: float) -> int:
    """Send all photos once to an empty board; return how many violations there were."""
    wanted, size = sizes.size("S8-http", quick=quick), SMALL if quick else TWELVE
    with TemporaryDirectory() as name, board("sqlite", Path(name)) as environment:
        app = application(environment)
        with app.app_context():
            violations = run(app, environment, Path(name), wanted, size)
            db.session.remove()
            db.engine.dispose()
    return violations


def run(
    app, environment: dict[str, str], folder: Path, wanted: int, size: tuple[int, int]
) -> int:
    """Send so many photos of a size to a server of its own; return the violations."""
    began = time.monotonic()
    shots = take(wanted, size, folder)
    people = [make_account(f"person{n}") for n in range(min(PEOPLE, wanted))]
    with serving(environment) as (port, process):
        sent, memory = Sending(app, port, len(shots)), Memory(process.pid)
        with memory:
            send_all(sent, people, shots)
        limited = is_limited(sent, people[0], shots[0])
    violations = [*sent.wrong, *memory.wrong()]
    if not limited:
        violations.append("the photos of a day were not limited")
    for line in violations[:20]:
        print(line)
    guarantees.report(
        guarantee="S8-http",
        db="sqlite",
        size=sizes.name_of("S8-http", len(shots)),
        n=len(shots),
        violations=len(violations),
        secs=round(time.monotonic() - began, 1),
        seed=None,
        pixels=size[0] * size[1],
        heic=sum(shot.name.endswith("heic") for shot in shots),
        tried_again=sent.again,
        sent_mb=round(sum(len(shot.data) for shot in shots) / 1e6, 1),
        kept_mb=round(sent.bytes / 1e6, 1),
        **memory.figures(),
    )
    return len(violations)


def take(wanted: int, size: tuple[int, int], folder: Path) -> list[Shot]:
    """Take half of them as JPEG, half as HEIC, in all orientations.

    HEIC takes its time, so each orientation is taken once and sent several times.
    """
    camera = Camera(size, folder)
    half = wanted // 2
    if phone_photos.heif_enc() is None:
        print("no heif-enc (Debian: libheif-examples): JPEG only", flush=True)
        return [camera.jpeg(n % 8 + 1) for n in range(half)]
    ways = range(8) if half >= 8 else range(5, 5 + half)
    heic = [camera.heic(n + 1) for n in ways]
    print(f"took {len(heic)} HEIC", flush=True)
    shots = [heic[n % len(heic)] for n in range(half)]
    return shots + [camera.jpeg((n + half) % 8 + 1) for n in range(wanted - half)]


@contextmanager
def serving(environment: dict[str, str]):
    """Run a web server as in production; its port and process."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "TRADEBOARD_DEMO": "false",
        "TRADEBOARD_PUBLIC_URL": f"http://127.0.0.1:{port}",
    }
    command = [sys.executable, "-m", "waitress", f"--listen=127.0.0.1:{port}"]
    process = subprocess.Popen(
        [*command, "--threads=8", "wsgi:app"],
        cwd=ROOT,
        env=environment | settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(600):
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            time.sleep(0.1)
        yield port, process
    finally:
        process.terminate()
        process.wait(timeout=30)


@dataclass
class Memory:
    """What the server and its children take, while a thread looks at them."""

    pid: int
    at_first: int = 0
    server: int = 0
    child: int = 0
    together: int = 0
    _done: threading.Event = field(default_factory=threading.Event)

    def __enter__(self):
        self.at_first = resident(self.pid)
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(0.02):
            server = resident(self.pid)
            children = [resident(child) for child in children_of(self.pid)]
            self.server = max(self.server, server)
            self.child = max(self.child, *children, 0)
            self.together = max(self.together, server + sum(children))

    def figures(self) -> dict[str, float]:
        """Return the figures in megabytes."""
        return {
            "server_mb": round(self.at_first / 1e6, 1),
            "server_rise_mb": round((self.server - self.at_first) / 1e6, 1),
            "largest_child_mb": round(self.child / 1e6, 1),
            "rise_with_children_mb": round((self.together - self.at_first) / 1e6, 1),
        }

    def wrong(self) -> list[str]:
        """Say whether it was too much."""
        rise = self.server - self.at_first
        return [f"the server rose by {rise} bytes"] if rise >= MOST_RISE else []


def resident(pid: int) -> int:
    """Return the bytes of memory that a process holds; 0 for one that is gone."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/statm").read_text().split()
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


class Sending:
    """Sends photos as browsers do, in pieces, and looks at what became of them."""

    def __init__(self, app, port: int, total: int):
        self.port, self.total, self.done, self.again = port, total, 0, 0
        self.bytes, self.wrong = 0, []
        self.signer = app.session_interface.get_signing_serializer(app)
        self.cookie = app.config["SESSION_COOKIE_NAME"]
        self.lock = threading.Lock()

    def sign_in(self, account) -> str:
        """Return the cookie of somebody who is signed in."""
        session = {"_user_id": make_session(account), "csrf_token": secrets.token_hex()}
        return f"{self.cookie}={self.signer.dumps(session)}"

    def ask(self, method: str, path: str, cookie: str, body=b"", kind="", **headers):
        """Ask the server, sending the body in pieces; the status and the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        with closing(connection):
            connection.putrequest(method, path)
            headers |= {"Cookie": cookie, "Content-Length": str(len(body))}
            headers |= {"Content-Type": kind} if kind else {}
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            connection.endheaders()
            for start in range(0, len(body), PIECE):
                connection.send(body[start : start + PIECE])
            answer = connection.getresponse()
            return answer.status, answer.read(), answer.headers

    def photo(self, cookie: str, form: dict, path: str, shot: Shot) -> tuple[int, str]:
        """Send one photo as the page's script does; the status and the list."""
        body, kind = multipart({**form, "do": "photo"}, shot)
        status, page, _ = self.ask("POST", path, cookie, body, kind, HX_Request="true")
        return status, page.decode()

    def tell(self) -> None:
        """Say how far it is."""
        with self.lock:
            self.done += 1
            if self.done % 10 == 0 or self.done == self.total:
                print(f"{self.done} of {self.total} photos", flush=True)


def send_all(sent: Sending, people, shots: list[Shot]) -> None:
    """Let several people send at once, six photos to a listing."""
    jobs, share = [], -(-len(shots) // len(people))
    for n, account in enumerate(people):
        cookie = sent.sign_in(account)
        jobs.append((sent, cookie, shots[n * share : (n + 1) * share]))
    db.session.rollback()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda job: send_of(*job), jobs))


def send_of(sent: Sending, cookie: str, shots: list[Shot]) -> None:
    """Send one person's photos."""
    for start in range(0, len(shots), states.MOST_PHOTOS):
        _, page, _ = sent.ask("GET", "/listings/new", cookie)
        form = find_form(page.decode(), button="do=photo").values()
        known: set[str] = set()
        for shot in shots[start : start + states.MOST_PHOTOS]:
            page = send_until_taken(sent, cookie, form, shot)
            new = set(re.findall(r"/photos/(\w+)-480\.jpg", page)) - known
            known |= new
            if len(new) != 1:
                sent.wrong.append(f"{shot.name}: {text_of(page)}")
            for photo_id in new:
                sent.wrong += look(sent, cookie, photo_id, shot)
            sent.tell()


def send_until_taken(sent: Sending, cookie: str, form: dict, shot: Shot) -> str:
    """Send a photo; on a busy machine again, as the page offers to do."""
    for _ in range(TRIES):
        status, page = sent.photo(cookie, form, "/listings/new", shot)
        if status == 200:
            break
        sent.again += 1
    return page


def look(sent: Sending, cookie: str, photo_id: str, shot: Shot) -> list[str]:
    """Say what is wrong with a photo as it is kept."""
    wrong = []
    for width in (2048, 480):
        path = f"/photos/{photo_id}-{width}.jpg"
        _, data, _ = sent.ask("GET", path, cookie)
        image = Image.open(io.BytesIO(data))
        sent.bytes += len(data)
        scale = min(1, width / max(shot.size))
        size = tuple(round(side * scale) for side in shot.size)
        near = all(
            abs(channel - meant) < 40
            for place, colour in zip(
                phone_photos.corners_of(image), phone_photos.CORNERS, strict=True
            )
            for channel, meant in zip(place, colour, strict=True)
        )
        clean = not (
            image.getexif() or pictures.CANARY in data or b"Exif" in data
        ) and set(image.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}
        checks = {
            "format": image.format == "JPEG",
            "size": all(abs(a - b) <= 1 for a, b in zip(image.size, size, strict=True)),
            "upright": near,
            "metadata": clean,
            "bytes": len(data) <= MOST_BYTES,
        }
        wrong += [
            f"{shot.name} {width}: {k}" for k, right in checks.items() if not right
        ]
    return wrong


def is_limited(sent: Sending, account, shot: Shot) -> bool:
    """Tell whether the photo after the last one of a day is refused."""
    db.session.rollback()
    account_id, now = account.id, clock.now()
    with transaction():
        draft = db.session.scalars(
            db.select(Listing).where(Listing.owner_id == account_id).limit(1)
        ).one()
        had = db.session.scalar(
            db.select(db.func.count()).where(Photo.owner_id == account_id)
        )
        for _ in range(states.MOST_PHOTOS_A_DAY - (had or 0)):
            db.session.add(
                Photo(
                    id=secrets.token_hex(16),
                    listing_id=draft.id,
                    owner_id=account_id,
                    position=0,
                    width=1,
                    height=1,
                    added_at=now,
                    dropped_at=now,
                )
            )
    cookie = sent.sign_in(account)
    _, page, _ = sent.ask("GET", "/listings/new", cookie)
    form = find_form(page.decode(), button="do=photo").values()
    status, page = sent.photo(cookie, form, "/listings/new", shot)
    return status == 422 and str(states.MOST_PHOTOS_A_DAY) in page


def multipart(form: dict, shot: Shot) -> tuple[bytes, str]:
    """Write a form with one file as a browser does."""
    edge = secrets.token_hex(16)
    out = io.BytesIO()
    for name, value in form.items():
        head = f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
        out.write(f"{head}{value}\r\n".encode())
    out.write(
        f'--{edge}\r\nContent-Disposition: form-data; name="photo"; '
        f'filename="{shot.name}"\r\nContent-Type: {shot.kind}\r\n\r\n'.encode()
    )
    out.write(shot.data + f"\r\n--{edge}--\r\n".encode())
    return out.getvalue(), f"multipart/form-data; boundary={edge}"


def text_of(page: str) -> str:
    """Return the words of an answer, shortened."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())[:200]

"""The verbs of `run.py`, and how a trouble is told: one line, exit code 2."""

import argparse
import sys

from frontdoor import check, demo, install, lock
from frontdoor.ground import Trouble, run, say, venv_python

PASSED_ON = ("test", "soak", "bench", "screenshots", "lock", "sbom")


def main(arguments: list[str]) -> int:
    """Do what was asked; the exit code."""
    try:
        if arguments and arguments[0] in PASSED_ON:
            return _pass_on(arguments[0], arguments[1:])
        return _do(_parser().parse_args(arguments))
    except Trouble as trouble:
        print(trouble, file=sys.stderr, flush=True)
    except OSError as error:
        what = f"Cannot use {error.filename}: " if error.filename else ""
        print(f"{what}{error.strerror or error}.", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr, flush=True)
        return 130
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="run.py",
        description="Without a verb: show the demo at http://127.0.0.1:8000.",
    )
    parser.add_argument("--port", type=_port, help="this port, no other")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--reset", action="store_true", help="begin the demo anew")
    verbs = parser.add_subparsers(dest="verb", metavar="verb")
    verbs.add_parser("setup", help="install into .venv, nothing else")
    verbs.add_parser("seed", help="make the demo's data without serving it")
    verbs.add_parser("test", help="run the tests; arguments go to pytest")
    checking = verbs.add_parser("check", help="all that a change must pass")
    checking.add_argument("steps", nargs="*", help="some steps only, by their names")
    verbs.add_parser("soak", help="long tests: [part] [--quick] [--minutes N]")
    verbs.add_parser("bench", help="measure: [--quick] [--json] [--case NAME]")
    verbs.add_parser("screenshots", help="take the pictures of docs/ anew")
    verbs.add_parser("audit", help="ask for known holes in the locked packages")
    verbs.add_parser("sbom", help="what it is made of, as CycloneDX: [--out FILE]")
    verbs.add_parser("lock", help="compile requirements/; [--upgrade]")
    return parser


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65535:
        raise Trouble(f"There is no port {port}: take one from 1 to 65535.")
    return port


def _do(asked: argparse.Namespace) -> int:
    if asked.verb == "setup":
        install.ensure("app")
        say("Installed.")
    elif asked.verb == "seed":
        demo.fill(asked.reset)
        say("The demo's data is in place.")
    elif asked.verb == "check":
        return check.run_steps(asked.steps)
    elif asked.verb == "audit":
        install.ensure("dev")
        return lock.audit()
    else:
        demo.show(asked.port, asked.host, asked.reset)
    return 0


def _pass_on(verb: str, arguments: list[str]) -> int:
    """Do what another program has options for: they go to it as they are."""
    install.ensure("dev")
    if verb == "lock":
        return lock.compile_locks(arguments)
    if verb == "sbom":
        return run(venv_python(), "-m", "frontdoor.bill", *arguments)
    demo.compile_texts()
    if verb == "soak":
        return run(venv_python(), "-m", "tests.soak", *arguments)
    if verb == "bench":
        return run(venv_python(), "-m", "bench", *arguments)
    if verb == "screenshots":
        return run(venv_python(), "-m", "tests.screenshots", *arguments)
    return run(venv_python(), "-m", "pytest", *(arguments or check.IN_TURN))

#!/usr/bin/env python3
"""The front door: `python3 run.py` shows the demo, `python3 run.py --help` the rest.

Needs nothing but Python. This file alone is written for old Pythons too, so that it
can say what is missing; all else is in `frontdoor/`.
"""

import os
import subprocess
import sys

NEEDED = (3, 11)
NEWER = ("python3.14", "python3.13", "python3.12", "python3.11")
ASK = "import sys; sys.exit(sys.version_info < (3, 11))"


def is_new_enough(python):
    """Ask a Python for its version; one that does not even start is not."""
    try:
        with open(os.devnull, "w") as nowhere:
            command = [python, "-c", ASK]
            return subprocess.call(command, stdout=nowhere, stderr=nowhere) == 0
    except OSError:
        return False


def find_newer():
    """Find a Python on PATH that Tradeboard runs on, the newest first."""
    for name in NEWER:
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            python = os.path.join(folder, name)
            if os.access(python, os.X_OK) and is_new_enough(python):
                return python
    return None


def start_again():
    """Go on under a newer Python, or say in two lines what is missing."""
    python = find_newer()
    if python:
        os.execv(python, [python, os.path.abspath(__file__)] + sys.argv[1:])
    have = ".".join(str(part) for part in sys.version_info[:2])
    sys.stderr.write("Tradeboard needs Python 3.11 or newer; this is " + have + ".\n")
    sys.stderr.write("Install one (Debian: apt-get install python3.11) and retry.\n")
    return 2


def main():
    """Hand over to the front door."""
    if tuple(sys.version_info[:2]) < NEEDED:
        return start_again()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from frontdoor import verbs

    return verbs.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())

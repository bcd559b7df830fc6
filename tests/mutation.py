"""Mutation tests of the rules: `python -m tests.mutation [--list] [pattern ...]`.

Small faults are put into the rules one by one; a test has to fail at each. It happens
in a copy, which stays in build/mutation: a second run asks only for what survived
before. Only tests without a database take part, since they run thousands of times.

mutmut makes the faults. Nothing else needs it, so that it is no locked dependency:

    .venv/bin/python -m pip install --target build/mutmut mutmut==3.8.1
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPY = ROOT / "build" / "mutation"
TOOL = ROOT / "build" / "mutmut"

RULES = ("*/rules.py", "*/rules/**/*.py")
TESTS = (
    "accounts/test_device_codes.py",
    "accounts/test_email.py",
    "accounts/test_handles.py",
    "accounts/test_passwords.py",
    "accounts/test_phone.py",
    "cards/test_reading.py",
    "core/test_folding.py",
    "trades/test_calendar.py",
    "trades/test_carriers.py",
    "trades/test_clock.py",
    "trades/test_findings.py",
    "trades/test_first_sender.py",
    "trades/test_next_step.py",
    "trades/test_offers.py",
    "trades/test_phrases.py",
    "trades/test_records.py",
    "trades/test_words.py",
    "*/test_rules.py",
    "test_state_tables.py",
)
# Lines that a person reads: another wording is no fault of a rule.
TEXTS = "[぀-ヿ一-鿿]"

# How a mutant ended, by the code that the tool keeps.
SURVIVED, WITHOUT_TESTS, NOT_RUN = 0, 33, None
ENOUGH = 0.9

SETTINGS = """\
[mutmut]
source_paths = tradeboard
only_mutate =
{rules}
do_not_mutate_patterns = {texts}
also_copy = templates
pytest_add_cli_args_test_selection =
{tests}
timeout_constant = 5
use_git_change_detection = false

[tool:pytest]
testpaths = tests
pythonpath = .
addopts = --import-mode=importlib -p no:cacheprovider -p no:unraisableexception
"""

# Stands in for tests/conftest.py, which opens databases.
CONFTEST = '''\
"""Leave out what needs more than the rules; be quick, and the same each time."""

import gc

from hypothesis import Phase, settings

settings.register_profile(
    "mutation",
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("mutation")


if gc.isenabled():  # What is in use is copied by each child that walks over it.
    gc.collect()
    gc.freeze()
    gc.disable()


def pytest_configure(config):
    # Cases that are named one by one take longer to be found than to be run.
    config.args = list(dict.fromkeys(arg.partition("[")[0] for arg in config.args))


def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if not missing(item)]


def missing(item):
    callspec = getattr(item, "callspec", None)
    known = {"request", *item._fixtureinfo.name2fixturedefs}
    return set(item.fixturenames) - known - set(callspec.params if callspec else ())
'''

# A zone that is neither ours nor UTC shows where one was forgotten.
SURROUNDINGS = os.environ | {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "TZ": "America/St_Johns",
}
# The tool comes last on the path: its copy of pytest is not the one that is locked.
CALL = "import sys; sys.path.append({tool!r}); from mutmut.__main__ import cli; cli()"


def main(arguments: list[str]) -> int:
    """Run the mutants, and tell how many were killed; the code is 1 below 90 %."""
    parser = argparse.ArgumentParser(prog="tests.mutation", description=__doc__)
    parser.add_argument("patterns", nargs="*", help="as tradeboard.trades.rules.*")
    parser.add_argument("--list", action="store_true", help="only tell; run nothing")
    parser.add_argument("--children", type=int, default=2)
    wanted = parser.parse_args(arguments)
    if not wanted.list:
        if not has_tool():
            print(__doc__)
            return 2
        prepare()
        forget_survivors()
        children = f"--max-children={wanted.children}"
        call("run", children, *wanted.patterns)
    return tell()


def has_tool() -> bool:
    """Tell whether mutmut is there, beside the project or in its environment."""
    return (TOOL / "mutmut").is_dir() or find_spec("mutmut") is not None


def prepare() -> None:
    """Copy the product and the tests that take part, with settings of their own."""
    for folder in ("tradeboard", "templates"):
        shutil.copytree(ROOT / folder, COPY / folder, dirs_exist_ok=True)
    shutil.rmtree(COPY / "tests", ignore_errors=True)
    left_out = shutil.ignore_patterns("test_*", "conftest.py", "__pycache__")
    shutil.copytree(ROOT / "tests", COPY / "tests", ignore=left_out)
    for path in chosen():
        shutil.copyfile(ROOT / path, COPY / path)
    (COPY / "tests/conftest.py").write_text(CONFTEST)
    (COPY / "setup.cfg").write_text(settings())


def chosen() -> list[Path]:
    """Return the tests that take part, as paths below the root."""
    found = [f for pattern in TESTS for f in (ROOT / "tests").glob(pattern)]
    return sorted(path.relative_to(ROOT) for path in found)


def settings() -> str:
    """Return what the tool and pytest read in the copy."""
    rules = [f for pattern in RULES for f in (ROOT / "tradeboard").glob(pattern)]
    return SETTINGS.format(
        rules=indented(sorted(path.relative_to(ROOT) for path in rules)),
        texts=TEXTS,
        tests=indented(chosen()),
    )


def indented(paths: list[Path]) -> str:
    """Return one path a line."""
    return "\n".join(f"    {path}" for path in paths)


def forget_survivors() -> None:
    """Have the survivors of the run before tried again: there may be a new test."""
    for file in (COPY / "mutants").rglob("*.meta"):
        kept = json.loads(file.read_text())
        codes = kept["exit_code_by_key"]
        for name, code in codes.items():
            if code in (SURVIVED, WITHOUT_TESTS):
                codes[name] = NOT_RUN
        file.write_text(json.dumps(kept))


def call(*arguments: str) -> subprocess.CompletedProcess:
    """Call the tool in the copy."""
    code = CALL.format(tool=str(TOOL))
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=COPY, env=SURROUNDINGS, check=False)


def tell() -> int:
    """Print a row for each module, and then what survived, by the names of mutmut."""
    total, survivors = Counter[str](), []
    print("| module | mutants | killed | survived | not run |\n|---|---|---|---|---|")
    for file in sorted((COPY / "mutants").rglob("*.meta")):
        codes = json.loads(file.read_text())["exit_code_by_key"]
        if codes:
            module = file.relative_to(COPY / "mutants" / "tradeboard").with_suffix("")
            figures = counted(codes)
            print(row(module, figures))
            total += figures
            survivors += [n for n, c in codes.items() if c in (SURVIVED, WITHOUT_TESTS)]
    print(row("all", total), *survivors, sep="\n")
    return 0 if total["killed"] >= ENOUGH * total["mutants"] else 1


def counted(codes: dict[str, int | None]) -> Counter[str]:
    """Count how the mutants of a module ended; one that never ends is killed, too."""
    alive = sum(code in (SURVIVED, WITHOUT_TESTS) for code in codes.values())
    waiting = sum(code is NOT_RUN for code in codes.values())
    figures = {"mutants": len(codes), "killed": len(codes) - alive - waiting}
    return Counter(figures | {"survived": alive, "not run": waiting})


def row(module: object, figures: Counter[str]) -> str:
    """Return a row of the table."""
    columns = ("mutants", "killed", "survived", "not run")
    cells = [module, *(figures[name] for name in columns)]
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

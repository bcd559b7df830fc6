"""The identity rules by command: the vectors give their right answers."""

import json
from pathlib import Path

import pytest

VECTORS = Path(__file__).parent / "vectors"


@pytest.fixture(scope="module")
def run(apps):
    """Return how to run a command and read its lines."""
    runner = apps("sqlite").test_cli_runner()

    def run(*arguments, given=None):
        found = runner.invoke(args=["identity", *arguments], input=given)
        assert found.exit_code == 0, found.output
        return [json.loads(line) for line in found.stdout.splitlines()]

    return run


def vectors(name):
    return json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))


def lines(texts):
    return "".join(f"{text}\n" for text in texts)


def test_every_address_has_its_verdict_code_and_key(run):
    cases = vectors("email")
    by_argument = [case for case in cases if set(case["input"]) & set("\r\n")]
    by_line = [case for case in cases if case not in by_argument]

    answers = run(
        "check-email", "--json", "-", given=lines(c["input"] for c in by_line)
    )
    answers += [run("check-email", "--json", "--", c["input"])[0] for c in by_argument]

    assert len(answers) == len(cases)
    for case, answer in zip(by_line + by_argument, answers, strict=True):
        assert {name: answer[name] for name in ("input", "verdict", "code", "key")} == {
            name: case[name] for name in ("input", "verdict", "code", "key")
        }
        said = answer["message_ja"] and answer["message_en"]
        assert bool(said) == (answer["verdict"] != "accept")


def test_every_number_has_its_verdict_code_and_key(run):
    for case in vectors("phone"):
        (answer,) = run(
            "check-phone", "--region", case["region"], "--json", "--", case["input"]
        )

        for name in ("input", "verdict", "code", "key"):
            assert answer[name] == case[name], case
        said = answer["message_ja"] and answer["message_en"]
        assert bool(said) == (answer["verdict"] != "accept"), case


def test_handles_that_look_alike_read_alike(run):
    for case in vectors("handle"):
        if "relation" not in case:
            continue
        one, other = run("fold-handle", "--", case["a"], case["b"])

        alike = one["skeleton"] == other["skeleton"]
        assert alike == (case["relation"] == "same"), case


def test_every_handle_has_its_verdict_and_code(run):
    cases = [case for case in vectors("handle") if "verdict" in case]

    answers = run("fold-handle", "--", *(case["input"] for case in cases))

    for case, answer in zip(cases, answers, strict=True):
        assert {name: answer[name] for name in ("input", "verdict", "code")} == {
            name: case[name] for name in ("input", "verdict", "code")
        }
        assert (answer["skeleton"] is None) == (case["verdict"] == "refuse"), case


def test_an_empty_line_is_an_empty_input(run):
    first, second = run("check-email", "--json", "-", given="\ntaro@gmail.com\n")

    assert (first["input"], first["verdict"], first["key"]) == ("", "refuse", None)
    assert second["verdict"] == "accept"


def test_wrong_usage_ends_with_two(apps):
    runner = apps("sqlite").test_cli_runner()

    assert runner.invoke(args=["identity", "check-email"]).exit_code == 2

"""The threat model cites tests by name: each is there, and each promise has one."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent.parent / "docs" / "explanation" / "threat-model.md"
CITED = re.compile(r"\[`([^`]+)`\]\(([^)]+)\)")


def promises():
    """The rows of the tables whose second column is "tests"."""
    rows, in_table = [], False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells == ["promise", "tests"]:
            in_table = True
        elif not line.startswith("|"):
            in_table = False
        elif in_table and set(line) - set("|- "):
            rows.append(cells)
    return rows


PROMISES = promises()
CITATIONS = sorted({found for _, tests in PROMISES for found in CITED.findall(tests)})


@pytest.mark.parametrize(("promise", "tests"), PROMISES, ids=[promise[:60] for promise, _ in PROMISES])
def test_every_promise_cites_a_test(promise, tests):
    assert CITED.findall(tests), promise
    # Nothing but citations: words there would be a promise about a promise.
    assert not CITED.sub("", tests).strip()


@pytest.mark.parametrize(("name", "target"), CITATIONS)
def test_the_cited_test_is_there(name, target):
    path = (PAGE.parent / target).resolve()
    text = path.read_text(encoding="utf-8")
    if name == path.name:
        return
    found = (
        rf'^id = "{re.escape(name)}"$' if path.suffix == ".toml" else rf"^(async )?def {re.escape(name)}\("
    )
    assert re.search(found, text, re.MULTILINE), f"{path.name} has no {name}"


def test_there_is_something_to_check():
    assert len(PROMISES) >= 25
    assert len(CITATIONS) >= 60

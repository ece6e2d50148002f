"""Every spec on the pages of the in-process modes gets the verdicts that stand below it."""

import json
import re
from pathlib import Path

import pytest

from verifyit.candidate import IN_PROCESS_MODES, grade_candidate
from verifyit.grade import grade
from verifyit.modes.ifeval import CONSTRAINTS
from verifyit.spec import FunctionCall, Mode, mode_of, parse_spec

FOLDER = Path(__file__).parents[3] / "docs" / "reference" / "verifyit"
BLOCK = re.compile(r"^```(toml|json)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# answer-key has its page under the name of its module, with tests of its own.
PAGES = sorted(mode.value for mode in IN_PROCESS_MODES if mode != "answer-key")


def blocks(page):
    """The specs of a page, each with its rows, and the files that the page shows."""
    files, examples = {}, []
    for language, name, body in BLOCK.findall((FOLDER / f"{page}.md").read_text(encoding="utf-8")):
        if name:
            files[name] = body
        elif language == "toml":
            examples.append((body, []))
        else:
            examples[-1][1].extend(json.loads(body))
    return files, examples


def verdict_of(spec, row, files, folder):
    if "answer" in row:
        (folder / "answer.txt").write_text(row["answer"], encoding="utf-8")
        for name, body in files.items():
            (folder / name).write_text(body, encoding="utf-8")
        return grade(spec, folder, folder)
    candidate = row["candidate"]
    if mode_of(spec) is Mode.PREDICTED_ACTION:
        candidate = tuple(FunctionCall(**call) for call in candidate)
    return grade_candidate(spec, candidate, {name: body.encode() for name, body in files.items()})


@pytest.mark.parametrize("page", PAGES)
def test_the_page_tells_the_truth(page, tmp_path):
    files, examples = blocks(page)
    assert examples
    for text, rows in examples:
        spec = parse_spec(text)
        assert mode_of(spec).value == page
        assert rows
        for row in rows:
            verdict = verdict_of(spec, row, files, tmp_path)
            assert (verdict.reward, verdict.status) == (row["reward"], row["status"]), row


def test_the_page_of_ifeval_names_every_constraint():
    text = (FOLDER / "ifeval.md").read_text(encoding="utf-8")
    assert [name for name in CONSTRAINTS if f"`{name}`" not in text] == []


def test_the_first_page_links_to_every_mode():
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [page for page in PAGES if f"({page}.md)" not in text] == []

"""Every spec on the pages of the modes that grade files gets the verdicts that stand below it."""

import json
import os
import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.loopback.openai_judge import Endpoint, completion
from verifyit.candidate import IN_PROCESS_MODES
from verifyit.grade import run
from verifyit.spec import Mode, mode_of, parse_spec

FOLDER = Path(__file__).parents[3] / "docs" / "reference" / "verifyit"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = sorted(mode.value for mode in Mode if mode not in IN_PROCESS_MODES)


def examples(page):
    """The specs of a page, each with its rows, and the files that the page shows."""
    files, found = {}, []
    for language, name, body in BLOCK.findall((FOLDER / f"{page}.md").read_text(encoding="utf-8")):
        if name:
            files[name] = body
        elif language == "toml":
            found.append((body, []))
        elif language == "json":
            found[-1][1].extend(json.loads(body))
    return files, found


def verdict_of(text, files, folder):
    for name, body in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
    (folder / "app").mkdir(parents=True, exist_ok=True)
    (folder / "task").mkdir(exist_ok=True)
    (folder / "task" / "verifier.toml").write_text(text, encoding="utf-8")
    return run(folder / "task" / "verifier.toml", folder / "app")


@pytest.fixture
def judge(monkeypatch):
    endpoint = Endpoint()
    monkeypatch.setenv("VERIFYIT_JUDGE_BASE_URL", endpoint.url)
    yield endpoint
    endpoint.close()


NEEDS = {
    "gotest": ("go", shutil.which("go") is not None),
    "judge": ("the judge extra", find_spec("openai") is not None),
    "reasoning-gym": ("the reasoning-gym extra", find_spec("reasoning_gym") is not None),
}


@pytest.mark.parametrize("page", PAGES)
def test_the_page_tells_the_truth(page, tmp_path, judge, monkeypatch):
    need, there = NEEDS.get(page, ("", True))
    if not there:
        pytest.skip(f"needs {need}")
    # The interpreter of these tests is the python3 of the specs.
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    files, found = examples(page)
    assert found
    for number, (text, rows) in enumerate(found):
        assert mode_of(parse_spec(text)).value == page
        assert rows
        for place, row in enumerate(rows):
            judge.replies = [completion(reply) for reply in row.get("replies", [])]
            verdict = verdict_of(text, files | row["files"], tmp_path / f"{number}-{place}")
            assert (verdict.reward, verdict.status) == (row["reward"], row["status"]), (row, verdict.detail)
            assert judge.replies == []


def test_the_first_page_links_to_every_mode():
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [page for page in PAGES if f"({page}.md)" not in text] == []

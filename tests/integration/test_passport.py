"""The QA passport in a real browser: it loads nothing, runs nothing, and shows hostile text as text."""

import re
import shutil
import subprocess

import pytest

from deepgym.qa.finding import Finding
from deepgym.qa.passport import render_passport
from deepgym.qa.report import AttackRow, FloorRow, FormRow, QaReport
from deepgym.qa.strength import Fate, Kills
from tests.support import require

HOSTILE = (
    "</pre><script>document.title='owned'</script><img src=x onerror=document.title='owned'>\x1b[2J\ud800"
)


def make_report():
    fate = Fate("survived", "boundary", 3, f"-a\n+{HOSTILE}", "", "f(1)", "1", "2")
    return QaReport(
        "my_task",
        findings=[Finding("DG301", HOSTILE, trace=HOSTILE)],
        style="code",
        attacks=[AttackRow("always-equal", 1, HOSTILE, 1.0, False, False)],
        floor=[FloorRow("always 0", 0.0)],
        kills=Kills((fate, Fate("killed", "operator", 1, "-a\n+b"))),
        forms=[FormRow("renamed locals", True, 1.0)],
    )


@pytest.fixture(scope="module")
def dom(tmp_path_factory):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    require("chromium", None if browser else "no Chromium is installed (Debian's package is chromium)")
    folder = tmp_path_factory.mktemp("passport")
    page = folder / "my_task.html"
    page.write_text(render_passport(make_report()), encoding="utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += [f"--user-data-dir={folder / 'profile'}", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


def test_the_browser_sees_landmarks_headings_and_names(dom):
    assert "<title>my_task: QA passport</title>" in dom
    for landmark in ("<header>", '<nav aria-label="Sections">', '<main id="main"', "<footer>"):
        assert dom.count(landmark) == 1
    assert dom.count("<h1>") == 1
    assert re.findall(r"<h2 id=\"(\w+)-title\"", dom) == re.findall(r"href=\"#(\w+)\"", dom)[1:]
    assert dom.count("<caption>") == dom.count("<table>")
    assert '<html lang="en">' in dom


def test_all_can_be_reached_by_keyboard(dom):
    assert dom.index('class="skip" href="#main"') < dom.index("<nav")
    for region in re.findall(r'<div class="scroll"[^>]*>', dom):
        assert 'tabindex="0"' in region
        assert "aria-label=" in region
    assert "<details" in dom
    assert "onclick" not in dom


def test_hostile_text_stays_text(dom):
    assert "owned" in dom
    assert "<title>owned" not in dom
    assert "<script" not in dom
    assert "<img" not in dom
    assert "\\x1b[2J" in dom


def test_nothing_is_loaded_from_anywhere():
    page = render_passport(make_report())
    assert "default-src 'none'" in page
    assert not re.search(r"https?:|<link|@import|url\(", page)

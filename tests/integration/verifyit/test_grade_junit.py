"""Mode junit: commands that leave reports."""

import pytest

from verifyit.grade import grade
from verifyit.reward import Status
from verifyit.spec import JunitSpec

CASES = '<testcase classname="a.B" name="one"/><testcase name="two"><skipped/></testcase>'


def suite(cases=CASES, **counts):
    attributes = "".join(f' {name}="{value}"' for name, value in counts.items())
    return f"<testsuite{attributes}>{cases}</testsuite>"


@pytest.fixture
def place(tmp_path):
    (tmp_path / "task").mkdir()
    (tmp_path / "app").mkdir()
    return tmp_path


def graded(place, xml, *, code=0, before="true", **fields):
    (place / "task" / "report.xml").write_text(xml)
    script = f"{before}; mkdir -p out && cp {place}/task/report.xml out/TEST-x.xml; exit {code}"
    spec = JunitSpec(**({"command": f"sh -c '{script}'"} | fields))
    return grade(spec, place / "task", place / "app")


def test_passing_reports_are_one(place):
    verdict = graded(place, suite(tests=2, failures=0, errors=0, skipped=1))
    assert verdict.reward == 1.0
    assert verdict.detail == {"passed": 1, "total": 1, "first_failure": None, "exit_code": 0, "reports": 1}
    assert graded(place, f"<testsuites>{suite()}</testsuites>", must_pass=("a.B.one",)).reward == 1.0


@pytest.mark.parametrize("child", ["failure", "error"])
def test_failing_cases_are_zero(place, child):
    report = suite(f'<testcase name="x"><{child}>why</{child}></testcase>')
    verdict = graded(place, report, code=1)
    assert (verdict.reward, verdict.detail["first_failure"]) == (0.0, "x")


def test_a_skipped_or_absent_case_does_not_pass(place):
    assert graded(place, suite(), must_pass=("two",)).reward == 0.0
    assert graded(place, suite(), must_not_break=("a.B.three",)).reward == 0.0
    assert graded(place, suite("")).detail["reason"] == "no_tests"


def test_repeats_are_anded(place):
    report = suite('<testcase name="x"/><testcase name="x"><failure/></testcase>')
    assert graded(place, report, code=1, must_pass=("x",)).reward == 0.0


def test_old_reports_are_not_read(place):
    old = place / "app" / "TEST-old.xml"
    old.write_text(suite())
    assert graded(place, suite()).detail["reports"] == 1
    assert not old.exists()
    old.write_text(suite())
    assert graded(place, suite(), command="true").detail["reason"] == "no_report"


@pytest.mark.parametrize(
    ("report", "code"),
    [
        (suite(tests=3), 0),
        (suite(failures=1), 0),
        (suite(skipped=0), 0),
        (suite(), 1),
        (suite(), 2),
        ("<testsuite>", 0),
        ("", 0),
        (
            '<!DOCTYPE x [<!ENTITY a "b">'
            + "".join(f'<!ENTITY a{i} "&a;&a;">' for i in range(3))
            + "]><x>&no;</x>",
            0,
        ),
    ],
)
def test_reports_and_commands_that_cannot_be_believed(place, report, code):
    with pytest.raises(RuntimeError):
        graded(place, report, code=code)


def test_a_report_linked_from_outside_is_not_read(place):
    (place / "outside.xml").write_text(suite())
    verdict = graded(place, suite(), before=f"ln -s {place}/outside.xml TEST-link.xml")
    assert (verdict.status, verdict.detail["reason"]) == (Status.SCORED, "report_outside")


def test_time_is_bounded(place):
    assert graded(place, suite(), before="sleep 60", timeout=0.5).detail["reason"] == "timeout"


@pytest.mark.parametrize("pattern", ["", "/x.xml", "../x.xml", "a/../../x.xml", "**x/y.xml"])
def test_patterns_that_leave_the_workspace_are_refused(place, pattern):
    assert graded(place, suite(), report=pattern).status is Status.INVALID_TASK


def test_files_are_restored_and_the_setup_runs(place):
    (place / "task" / "x.txt").write_text("x")
    assert graded(place, suite(), restore=("x.txt",), setup="test -f x.txt").reward == 1.0
    assert graded(place, suite(), setup="exit 1").detail["reason"] == "setup_failed"
    assert graded(place, suite(), command="").status is Status.INVALID_TASK
    assert graded(place, suite(), timeout=0.0).status is Status.INVALID_TASK

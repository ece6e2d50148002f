"""What follows from what was seen of an attempt."""

import pytest

from deepgym.doctor.observation import Finding, Observation, conclude, went_through
from deepgym.doctor.report import MIN_ATTEMPTS, Report
from deepgym.doctor.violation import KINDS, Violation
from deepgym.doctor.violations import HONEST, VIOLATIONS

SECRET = "token-1234"


def row(**changes):
    return Violation(
        **{"name": "n", "kind": "files", "what": "w", "module": "files", "function": "f", **changes}
    )


def judged(violation, seen):
    return went_through(violation, seen, lambda text: SECRET in text)


@pytest.mark.parametrize(
    ("changes", "seen", "expected"),
    [
        ({}, Observation("reached", "a word"), True),
        ({}, Observation("refused", "Operation not permitted"), False),
        ({}, Observation("nothing"), False),
        ({}, Observation("broken", "NameError"), None),
        ({}, Observation("unjudged"), None),
        ({}, Observation("ended", "killed"), None),
        ({}, Observation("late"), None),
        ({"may_end": True}, Observation("ended", "killed"), False),
        ({"may_end": True}, Observation("late"), False),
        ({"evidence": "secret"}, Observation("reached", f"got {SECRET}"), True),
        ({"evidence": "secret"}, Observation("reached", "something else"), False),
        ({"evidence": "trace"}, Observation("reached", "did it"), False),
        ({"evidence": "trace"}, Observation("reached", "did it", trace="a file is there"), True),
        ({}, Observation("refused", "no", trace="a file is there"), True),
        ({"evidence": "score"}, Observation("scored"), True),
        ({"evidence": "score"}, Observation("no_verdict"), True),
        ({"evidence": "score"}, Observation("judged_zero"), False),
        ({"evidence": "score"}, Observation("unjudged"), None),
    ],
)
def test_whether_it_went_through(changes, seen, expected):
    assert judged(row(**changes), seen) is expected


REFUSED = Observation("refused", "Operation not permitted")
REACHED = Observation("reached", "a word")


def test_stopped_with_a_control_that_works():
    found = conclude(row(), (False, REFUSED), (True, REACHED))
    assert (found.outcome, found.how) == ("stopped", "Operation not permitted")
    assert found.control == "goes through without a wall"


def test_an_attempt_that_attacks_nothing_is_found_out():
    found = conclude(row(), (False, REFUSED), (False, REFUSED))
    assert found.outcome == "unknown"
    assert "shows nothing" in found.how


def test_what_the_machine_refuses_anyway_is_stopped_and_says_so():
    found = conclude(row(without="only root may"), (False, REFUSED), (False, REFUSED))
    assert found.outcome == "stopped"
    assert found.control == "refused without a wall too: only root may"


def test_what_went_through_is_told_whatever_its_control():
    found = conclude(row(), (True, REACHED), (False, REFUSED))
    assert (found.outcome, found.how) == ("went through", "a word")


def test_a_broken_attempt_is_unknown():
    found = conclude(row(), (None, Observation("broken", "NameError: x")), (True, REACHED))
    assert (found.outcome, found.how) == ("unknown", "broken: NameError: x")


def test_long_words_are_cut_to_one_line():
    found = conclude(row(), (True, Observation("reached", "a\nb " * 200)), (True, REACHED))
    assert len(found.how) <= 160
    assert "\n" not in found.how


def report(*outcomes):
    findings = tuple(
        Finding(row(name=str(number)), outcome, "", "") for number, outcome in enumerate(outcomes)
    )
    return Report("sealed", "nested", "", (), findings, (), None, 1.0)


STOPPED = ("stopped",) * MIN_ATTEMPTS


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        (STOPPED, 0),
        ((*STOPPED, "left out"), 0),
        ((*STOPPED, "unknown"), 2),
        ((*STOPPED, "went through"), 1),
        ((*STOPPED, "unknown", "went through"), 1),
        (STOPPED[1:], 2),
        ((), 2),
    ],
)
def test_exit_codes(outcomes, code):
    assert report(*outcomes).exit_code == code


def test_the_report_as_json_counts_what_it_lists():
    data = report(*STOPPED, "went through", "left out").as_json()
    assert data["counts"] == {"stopped": MIN_ATTEMPTS, "went_through": 1, "unknown": 0, "left_out": 1}
    assert [item["outcome"] for item in data["violations"]].count("went_through") == 1
    assert data["exit_code"] == 1


def test_only_attempts_with_a_working_control_are_proven():
    held = (False, REFUSED)
    found = (
        conclude(row(), held, (True, REACHED)),
        conclude(row(without="only root may"), held, (False, REFUSED)),
        conclude(row(evidence="score"), (False, Observation("judged_zero")), (True, Observation("scored"))),
        conclude(row(), (True, REACHED), (True, REACHED)),
    )
    assert Report("sealed", "nested", "", (), found, (), None, 1.0).proven == 2


def test_the_table_has_many_distinct_violations_of_every_kind():
    assert len({violation.name for violation in VIOLATIONS}) == len(VIOLATIONS) >= 100
    assert {violation.kind for violation in VIOLATIONS} == set(KINDS)
    assert HONEST not in VIOLATIONS


def test_most_violations_must_work_without_a_wall():
    works = [violation for violation in VIOLATIONS if violation.without == "works"]
    assert len(works) >= MIN_ATTEMPTS
    # Where a control may fail, it says why.
    assert all(len(violation.without) > 10 for violation in VIOLATIONS if violation not in works)


@pytest.mark.parametrize("module", sorted({violation.module for violation in VIOLATIONS}))
def test_every_attempt_exists_and_its_module_needs_the_standard_library_only(module):
    import ast
    import importlib
    import inspect
    import sys

    loaded = importlib.import_module(f"deepgym.doctor.attempts.{module}")
    for violation in (*VIOLATIONS, HONEST):
        if violation.module == module:
            assert callable(getattr(loaded, violation.function)), violation.name
    tree = ast.parse(inspect.getsource(loaded))
    imported = {
        alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    imported |= {node.module.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= sys.stdlib_module_names

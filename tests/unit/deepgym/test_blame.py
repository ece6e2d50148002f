"""Blame: every ending of a run, on both sides of the solution being in play."""

import signal
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepgym.blame import MAX_ERROR_CHARS, Decision, Ending, How, decide

GOOD = '{"score": 1.0, "passed": true, "details": "all"}'
JUDGED_ERRORS = {"solution_error", "solution_timeout"}

# The ending, then the error before and after the solution was in play.
ROWS = {
    "the verifier crashed": (Ending("raised", error="ValueError: x"), "runtime_error", "solution_error"),
    "it crashed after it had printed a verdict": (
        Ending("raised", printed=GOOD, exit_code=1, error="ValueError: x"),
        "runtime_error",
        "solution_error",
    ),
    "it crashed after it had reported a verdict": (
        Ending("raised", verdicts=(1.0,), error="ValueError: x"),
        "runtime_error",
        "solution_error",
    ),
    "it let a SolutionError through": (
        Ending("raised", error="SolutionError: x", solution_error="solution_error"),
        "solution_error",
        "solution_error",
    ),
    "it let a solution's time-out through": (
        Ending("raised", error="SolutionTimeoutError: x", solution_error="solution_timeout"),
        "solution_timeout",
        "solution_timeout",
    ),
    "it returned garbage": (Ending("returned", invalid="got str"), "verifier_error", "solution_error"),
    "it returned nothing": (Ending("returned"), "verifier_error", "solution_error"),
    "it left by sys.exit": (Ending("exited", exit_code=0), "verifier_error", "solution_error"),
    "its frame holds NaN": (Ending("returned", verdicts=(float("nan"),)), "verifier_error", "solution_error"),
    "its frame holds 1.5": (Ending("returned", verdicts=(1.0, 1.5)), "verifier_error", "solution_error"),
    "it printed 1.5": (
        Ending("exited", exit_code=0, printed='{"score": 1.5}'),
        "verifier_error",
        "solution_error",
    ),
    "its passed is no bool": (
        Ending("exited", exit_code=0, printed='{"score": 1.0, "passed": 1}'),
        "verifier_error",
        "solution_error",
    ),
    "it printed nothing": (Ending("exited", exit_code=0, printed=""), "verifier_error", "solution_error"),
    "it failed and printed nothing": (
        Ending("exited", exit_code=1, printed="x"),
        "verifier_error",
        "solution_error",
    ),
    "it said that it could not judge": (
        Ending("exited", exit_code=2, printed=GOOD),
        "verifier_error",
        "solution_error",
    ),
    "it exited with an unknown code": (
        Ending("exited", exit_code=3, printed=GOOD),
        "runtime_error",
        "solution_error",
    ),
    "it exited with a negative code": (
        Ending("exited", exit_code=-1, printed=GOOD),
        "runtime_error",
        "solution_error",
    ),
    "it was killed": (Ending("signal", signal=9, printed=GOOD), "runtime_error", "solution_error"),
    "it was killed after its report": (
        Ending("signal", signal=11, verdicts=(1.0,)),
        "runtime_error",
        "solution_error",
    ),
    "it hung": (Ending("timeout", printed=GOOD), "verifier_timeout", "solution_timeout"),
    "it hung after its report": (Ending("timeout", verdicts=(1.0,)), "verifier_timeout", "solution_timeout"),
    "the solution could not be started": (
        Ending("launch_error", error="EAGAIN"),
        "sandbox_error",
        "solution_error",
    ),
    "the box was lost": (Ending("lost", verdicts=(1.0,), printed=GOOD), "sandbox_error", "solution_error"),
    "the provider failed": (Ending("unreachable", error="503"), "sandbox_error", "sandbox_error"),
}


def in_play(ending):
    fields = {name: getattr(ending, name) for name in Ending.__dataclass_fields__}
    return Ending(**{**fields, "solution_in_play": True})


@pytest.mark.parametrize("row", ROWS)
def test_before_the_solution_was_in_play(row):
    ending, error_type, _ = ROWS[row]
    decision = decide(ending)
    assert decision.error_type == error_type
    assert decision.has_verdict == (error_type in JUDGED_ERRORS)
    assert (decision.score, decision.passed) == (0.0, False)
    assert (decision.exit_code == 1) == decision.has_verdict
    assert decision.details


@pytest.mark.parametrize("row", ROWS)
def test_after_the_solution_was_in_play(row):
    ending, _, error_type = ROWS[row]
    decision = decide(in_play(ending))
    assert decision.error_type == error_type
    assert decision.has_verdict == (error_type in JUDGED_ERRORS)
    assert (decision.score, decision.passed) == (0.0, False)
    assert decision.exit_code == (1 if decision.has_verdict else None)
    assert decision.details


@pytest.mark.parametrize("played", [False, True])
@pytest.mark.parametrize(
    ("ending", "score", "passed"),
    [
        (Ending("returned", verdicts=(1.0,)), 1.0, True),
        (Ending("returned", verdicts=(True,)), 1.0, True),
        (Ending("returned", verdicts=({"score": 0.5},)), 0.5, False),
        (Ending("exited", exit_code=0, printed=GOOD), 1.0, True),
        (Ending("exited", exit_code=0, printed='{"score": 0.0, "passed": false}'), 0.0, False),
        (Ending("exited", exit_code=1, printed=GOOD), 1.0, False),
        (Ending("exited", exit_code=1, verdicts=({"score": 1.0, "passed": True},)), 1.0, False),
        (Ending("exited", exit_code=1, printed='{"score": 0.5, "passed": false}'), 0.5, False),
        (Ending("exited", exit_code=0, verdicts=(1.0,), printed='{"score": 0.0}'), 1.0, True),
        (Ending("exited", exit_code=0, verdicts=(0.0,), printed=GOOD), 0.0, False),
        (Ending("exited", exit_code=0, verdicts=(1.0, 0.5)), 0.5, False),
        (Ending("exited", exit_code=0, printed=f'{GOOD}\n{{"score": 0.25}}'), 0.25, False),
    ],
)
def test_a_valid_verdict_is_scored(ending, score, passed, played):
    decision = decide(in_play(ending) if played else ending)
    assert (decision.has_verdict, decision.score, decision.passed) == (True, score, passed)
    assert decision.error_type is None
    assert decision.exit_code == (0 if passed else 1)
    assert decision.verdict is not None


def test_the_threshold_decides_where_the_verdict_does_not():
    ending = Ending("returned", verdicts=(0.8,))
    assert decide(ending, pass_threshold=0.8).passed
    assert not decide(ending, pass_threshold=0.81).passed


def test_a_verdicts_own_words_are_kept_and_do_not_erase_it():
    verdict = {"score": 0.5, "error_type": "sandbox_error", "metrics": {"n": 1}, "details": "said"}
    decision = decide(Ending("returned", verdicts=(verdict,)))
    assert (decision.has_verdict, decision.score, decision.error_type) == (True, 0.5, "sandbox_error")
    assert (decision.details, decision.verdict.metrics) == ("said", {"n": 1})


def test_prints_of_a_wrapped_shape_are_never_verdicts():
    assert not decide(Ending("returned", printed=None)).has_verdict


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        (Ending("signal", signal=9), -9),
        (Ending("exited", exit_code=3), 3),
        (Ending("exited", exit_code=2), 2),
        (Ending("exited", exit_code=0, printed=""), 2),
        (Ending("exited", exit_code=1, printed=""), 2),
        (Ending("raised", exit_code=1, error="x"), 2),
        (Ending("timeout"), 2),
        (Ending("lost"), None),
        (Ending("launch_error"), None),
    ],
)
def test_without_a_verdict_the_exit_code_never_looks_like_one(ending, code):
    assert decide(ending).exit_code == code


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (Ending("signal", signal=signal.SIGKILL), "killed by SIGKILL"),
        (Ending("signal", signal=250), "killed by signal 250"),
        (Ending("signal"), "killed by signal None"),
        (Ending("exited", exit_code=7), "exited with code 7"),
        (Ending("raised", error="Traceback ...\nKeyError: 1"), "KeyError: 1"),
        (Ending("raised"), "raised an exception"),
        (Ending("returned", invalid="score must be in [0, 1], got float 1.5"), "got float 1.5"),
        (Ending("exited", exit_code=0, printed="hi"), "print one line of JSON"),
        (Ending("lost", error="connection reset"), "connection reset"),
    ],
)
def test_the_details_say_what_happened(ending, words):
    assert words in decide(ending).details


def test_a_long_error_keeps_its_end():
    details = decide(Ending("raised", error="x" * 10**6 + "KeyError: 1")).details
    assert len(details) == MAX_ERROR_CHARS
    assert details.startswith("[cut, 1000011 characters] …")
    assert details.endswith("KeyError: 1")


ENDINGS = st.builds(
    Ending,
    how=st.sampled_from(get_args(How)),
    solution_in_play=st.booleans(),
    exit_code=st.none() | st.integers(-2, 4) | st.integers(),
    signal=st.none() | st.integers(0, 70),
    verdicts=st.lists(st.floats() | st.booleans() | st.none() | st.text(), max_size=2).map(tuple),
    printed=st.none() | st.text() | st.sampled_from([GOOD, '{"score": NaN}']),
    invalid=st.none() | st.text(),
    error=st.text(),
    solution_error=st.none() | st.sampled_from(sorted(JUDGED_ERRORS)),
)


@given(ending=ENDINGS)
def test_every_ending_has_one_meaning(ending):
    decision = decide(ending)
    assert isinstance(decision, Decision)
    assert 0.0 <= decision.score <= 1.0
    assert decision.has_verdict or (decision.score, decision.passed) == (0.0, False)
    assert decision.has_verdict == (decision.exit_code in {0, 1})
    if ending.solution_in_play and ending.how != "unreachable":
        assert decision.has_verdict
    if decision.score > 0 or decision.passed:
        assert ending.how in {"returned", "exited"}
        assert ending.exit_code in {None, 0, 1}


def test_every_way_to_end_is_covered():
    assert {ending.how for ending, _, _ in ROWS.values()} == set(get_args(How))

"""Mode ``answer-key``: a submission of several answers, graded from the key and the outputs alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from verifyit._answer import read_answer
from verifyit.answer_key import CanonicalForm, Outcome, verify
from verifyit.json_objects import decode_unique, json_problem
from verifyit.reward import InvalidTask, Reward, scored
from verifyit.spec import AnswerKeySpec, EmptyOutputPolicy

if TYPE_CHECKING:
    from pathlib import Path

_SWITCHES = ("strip", "fold_case", "nfc", "parse_numbers", "rel_tol", "abs_tol")


def validate_answer_key(spec: AnswerKeySpec) -> None:
    """Refuse a spec that cannot be graded against.

    Raises:
        InvalidTask: The key is not an object of finite JSON values, or an option is unusable.
    """
    if not isinstance(spec.empty_output, EmptyOutputPolicy):
        raise InvalidTask(f"empty_output must be an EmptyOutputPolicy, not {spec.empty_output!r}")
    if not isinstance(spec.expected, dict):
        raise InvalidTask("expected must be an object of tasks and values")
    problem = json_problem(spec.expected)
    if problem is not None:
        raise InvalidTask(f"expected is not JSON: {problem}")
    try:
        _verify(spec, {"outputs": {}})
    except (TypeError, ValueError) as error:
        raise InvalidTask(str(error)) from None


def grade_answer_key_candidate(spec: AnswerKeySpec, candidate: str) -> Reward:
    """Grade the JSON text of a submission: ``{"outputs": {task: value}}``.

    Raises:
        InvalidTask: As for validate_answer_key().
    """
    validate_answer_key(spec)
    try:
        submission = decode_unique(candidate)
    except ValueError as error:
        return scored(0.0, reason="invalid_submission", error=str(error)[:200])
    outcome = _verify(spec, submission)
    return scored(outcome["reward"], accepted=outcome["accepted"], total=len(_key(spec)))


def grade(spec: AnswerKeySpec, _tests_dir: Path, workspace: Path) -> Reward:
    """Grade an answer file.

    Raises:
        InvalidTask: As for validate_answer_key().
    """
    validate_answer_key(spec)
    answer = read_answer(spec, workspace)
    return answer if isinstance(answer, Reward) else grade_answer_key_candidate(spec, answer)


def _key(spec: AnswerKeySpec) -> dict[str, Any]:
    assert isinstance(spec.expected, dict)
    return spec.expected


def _verify(spec: AnswerKeySpec, submission: object) -> Outcome:
    form = CanonicalForm(**{name: getattr(spec, name) for name in _SWITCHES})
    return verify(
        submission,
        _key(spec),
        coverage=spec.coverage,  # type: ignore[arg-type]  # verify() itself refuses other words
        form=form,
        overrides=spec.overrides,
    )

"""Mode ``reasoning-gym``: an entry of a reasoning-gym dataset, scored by that dataset.

The scorers of the datasets parse, evaluate and search in what the candidate wrote, so they run in a
worker that can be killed. One that fails on an answer is tried on the entry's own answer: if it fails on
that too it is broken, and if not, the candidate broke it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from verifyit._answer import empty_output_policy, read_answer, size_verdict
from verifyit._bounded import BoundedCallError, call_in_worker
from verifyit.json_objects import decode_unique
from verifyit.modes.extract import extract_markdown_answer
from verifyit.reward import InvalidTask, Reward, scored

if TYPE_CHECKING:
    from pathlib import Path

    from verifyit.spec import ReasoningGymSpec

# The slowest scorers search for a solution of their own.
CPU_LIMIT_S: Final = 20.0
SHOWN_CHARACTERS: Final = 200

_SCORER: Final = "verifyit.modes._reasoning_gym_scorer"


def load_entry(path: Path) -> dict[str, Any]:
    """The entry in a file.

    Raises:
        InvalidTask: The file is missing, or is not a strict JSON object with metadata and an answer that
            is a text or null.
    """
    entry = _load_object(path)
    _check_entry(entry, path.name)
    return entry


def grade_reasoning_gym_candidate(
    spec: ReasoningGymSpec,
    entry: dict[str, Any],
    candidate: str | None,
    *,
    params: dict[str, Any] | None = None,
) -> Reward:
    """Score an answer.

    Args:
        spec: Names the dataset.
        entry: The decoded entry.
        candidate: The answer's text; None is an answer too, and the dataset's to score.
        params: The decoded parameters of the dataset, if the spec names a file of them.

    Raises:
        InvalidTask: The entry is not one of the dataset, the dataset is unknown, or its parameters are
            missing or refused.
        GradingInfraError: The package is not installed, or no worker could be started.
        RuntimeError: The scorer fails on the entry's own answer, or gives something that is no score.
    """
    empty_output_policy(spec)
    _check_entry(entry, "the entry")
    if entry["metadata"].get("source_dataset") != spec.dataset:
        raise InvalidTask(f"the entry is not one of dataset {spec.dataset!r}")
    if spec.params is not None and params is None:
        raise InvalidTask(f"the parameters in {spec.params!r} must be given")
    oversized = size_verdict(candidate or "")
    if oversized is not None:
        return oversized
    answer = None if candidate is None else extract_markdown_answer(candidate) or candidate.strip()
    arguments: dict[str, Any] = {"dataset": spec.dataset, "params": params or {}, "entry": entry}
    detail = {"dataset": spec.dataset, "answer": None if answer is None else answer[:SHOWN_CHARACTERS]}
    try:
        value = _score(arguments, answer)
    except BoundedCallError as error:
        _require_working(arguments, entry["answer"])
        return scored(0.0, reason=f"scorer_{error.reason}", error=str(error)[:SHOWN_CHARACTERS], **detail)
    return scored(value, **detail)


def grade(spec: ReasoningGymSpec, tests_dir: Path, workspace: Path) -> Reward:
    """Grade an answer file.

    Raises:
        InvalidTask: As for grade_reasoning_gym_candidate(), or a file of the task cannot be read.
        GradingInfraError: As there.
        RuntimeError: As there.
    """
    entry = load_entry(tests_dir / spec.entry)
    params = None
    if spec.params is not None:
        if not isinstance(spec.params, str):
            raise InvalidTask(f"params must be a path, not {spec.params!r}")
        params = _load_object(tests_dir / spec.params)
    answer = read_answer(spec, workspace)
    if isinstance(answer, Reward):
        return answer
    return grade_reasoning_gym_candidate(spec, entry, answer, params=params)


def _load_object(path: Path) -> dict[str, Any]:
    try:
        table = decode_unique(path.read_text(encoding="utf-8"), finite=True)
    except (OSError, ValueError) as error:
        raise InvalidTask(f"cannot read {path.name}: {error}") from None
    if not isinstance(table, dict):
        raise InvalidTask(f"{path.name} must hold a JSON object")
    return table


def _check_entry(entry: object, name: str) -> None:
    if not isinstance(entry, dict) or not isinstance(entry.get("metadata"), dict):
        raise InvalidTask(f"{name} must be an object with metadata")
    if "answer" not in entry or not isinstance(entry["answer"], str | None):
        raise InvalidTask(f"{name} must have an answer that is a text or null")


def _score(arguments: dict[str, Any], answer: str | None) -> float:
    outcome = call_in_worker(_SCORER, "score", arguments | {"answer": answer}, cpu_limit_s=CPU_LIMIT_S)
    if "invalid" in outcome:
        raise InvalidTask(f"dataset {arguments['dataset']!r} cannot be made: {outcome['invalid']}")
    value = outcome["score"]
    if not isinstance(value, int | float) or not 0 <= value <= 1:
        raise RuntimeError(f"the scorer of {arguments['dataset']!r} gave {value!r}, which is no score")
    return float(value)


def _require_working(arguments: dict[str, Any], answer: str | None) -> None:
    try:
        _score(arguments, answer)
    except BoundedCallError as error:
        raise RuntimeError(f"the scorer fails on the entry's own answer: {error}") from error

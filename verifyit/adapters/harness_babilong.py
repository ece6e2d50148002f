"""BABILong: the target occurs in the answer, case aside."""

from __future__ import annotations

from typing import Any, Final

from verifyit.adapters.harness_validation import Contract, only_text
from verifyit.modes.grade_exact import grade_exact_candidate
from verifyit.reward import InvalidTask, Reward, scored
from verifyit.spec import EmptyOutputPolicy, ExactSpec

CONTRACT: Final = Contract(
    label="BABILong",
    datasets=("RMT-team/babilong",),
    output_type="generate_until",
    metrics=frozenset({"acc"}),
    function="process_results",
    digests=frozenset({"557de4855a370f2f251176982a110aaac9209fa50645bf110d7d42b1151878bc"}),
)


def babilong_config_profile(config: dict[str, Any]) -> bool:
    """Whether a configuration is a BABILong task."""
    return CONTRACT.declares(config)


def validate_babilong_task(task: Any) -> bool:
    """Whether a task is a BABILong task, unchanged.

    Raises:
        InvalidTask: It is one, and was changed.
    """
    return CONTRACT.namespace(task) is not None


def grade_babilong_candidate(reference: object, preprocessed_candidate: object) -> Reward:
    """Whether a target occurs in an answer.

    Raises:
        InvalidTask: The target is not a text, or blank.
    """
    if not isinstance(reference, str) or not reference.strip():
        raise InvalidTask("the target of BABILong is not a text")
    if not isinstance(preprocessed_candidate, str):
        return scored(0.0, reason="invalid_candidate")
    spec = ExactSpec(
        (reference.strip(),), ignore_whitespace=False, substring=True, empty_output=EmptyOutputPolicy.GRADE
    )
    return grade_exact_candidate(spec, preprocessed_candidate)


def babilong_task_metrics(task: Any, doc: Any, responses: Any) -> dict[str, float] | None:
    """The metrics of one document, or None for another task.

    Raises:
        InvalidTask: The task was changed, or the document or the responses are unusable.
    """
    namespace = CONTRACT.namespace(task)
    if namespace is None:
        return None
    prepared = namespace["postprocess_pred"]([only_text(responses, CONTRACT.label)])
    return {"acc": grade_babilong_candidate(doc.get("target"), prepared[0]).reward}

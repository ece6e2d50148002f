"""Hendrycks MATH: answers that are the same text after the benchmark's own normalization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from verifyit.adapters._answers import shown
from verifyit.adapters.harness_validation import Contract, only_text, pinned_function_namespace
from verifyit.reward import InvalidTask, Reward, scored

if TYPE_CHECKING:
    from collections.abc import Callable

CONTRACT: Final = Contract(
    label="Hendrycks MATH",
    datasets=("EleutherAI/hendrycks_math", "HuggingFaceH4/MATH-500"),
    output_type="generate_until",
    metrics=frozenset({"exact_match"}),
    function="process_results",
    digests=frozenset({"8332e42f23c62043b23d74ee6d3934f997b209cd60a1ad45b7882d6b00929d5c"}),
)
NORMALIZER: Final = "strip_string"


def grade_normalized_math(expected: object, candidate: object, normalize: Callable[[str], str]) -> Reward:
    """Whether two texts are the same after a normalization; as they are, where it fails on one.

    Raises:
        InvalidTask: The expected answer is not a text.
    """
    if not isinstance(expected, str):
        raise InvalidTask("the expected answer is not a text")
    if not isinstance(candidate, str):
        return scored(0.0, reason="invalid_candidate")
    try:
        same = normalize(candidate) == normalize(expected)
    except Exception:  # noqa: BLE001 - the benchmark's rule: what cannot be normalized is compared as it is
        same = candidate == expected
    return scored(float(same), extracted=shown(candidate))


def hendrycks_config_profile(config: dict[str, Any]) -> bool:
    """Whether a configuration is a Hendrycks MATH task."""
    return CONTRACT.declares(config)


def validate_hendrycks_task(task: Any) -> bool:
    """Whether a task is a Hendrycks MATH task, unchanged.

    Raises:
        InvalidTask: It is one, and was changed.
    """
    return CONTRACT.namespace(task) is not None


def validate_hendrycks_normalizer(normalize: object) -> bool:
    """Whether a function is the benchmark's own normalization."""
    try:
        pinned_function_namespace(normalize, NORMALIZER, CONTRACT.digests)  # type: ignore[arg-type]  # any object is asked
    except InvalidTask:
        return False
    return True


def hendrycks_task_metrics(task: Any, doc: Any, responses: Any) -> dict[str, float] | None:
    """The metrics of one document, or None for another task.

    Raises:
        InvalidTask: The task was changed, or the document or the responses are unusable.
    """
    namespace = CONTRACT.namespace(task)
    if namespace is None:
        return None
    text = only_text(responses, CONTRACT.label)
    first, last = text.find("$"), text.rfind("$")
    candidate = text if first == last else text[first + 1 : last]
    solution = doc.get("solution")
    try:
        expected = namespace["remove_boxed"](namespace["last_boxed_only_string"](solution))
    except (AssertionError, AttributeError, TypeError):
        raise InvalidTask("the solution of a document has no box") from None
    return {"exact_match": grade_normalized_math(expected, candidate, namespace[NORMALIZER]).reward}

"""Comparisons of generated answers that several harness tasks share, and which task uses which."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from verifyit.adapters.harness_validation import metric_names, only_text, task_config
from verifyit.modes.grade_exact import grade_collection_f1
from verifyit.reward import InvalidTask, Reward, scored

EXACT: Final = "exact"
TOKEN_F1: Final = "token_f1"  # noqa: S105 - the name of a profile
EXACT_AND_F1: Final = "exact_and_token_f1"
_PROFILES: Final = {
    frozenset({"exact_match"}): EXACT,
    frozenset({"em"}): EXACT,
    frozenset({"f1"}): TOKEN_F1,
    frozenset({"exact_match", "f1"}): EXACT_AND_F1,
    frozenset({"em", "f1"}): EXACT_AND_F1,
}


def token_f1(candidate: Sequence[str], reference: Sequence[str]) -> Reward:
    """The F1 of two lists of tokens, each counted as often as it occurs."""
    return grade_collection_f1(
        reference, candidate, multiplicity="multiset", empty_reference="zero", round_digits=None
    )


def token_accuracy(candidate: Sequence[str], reference: Sequence[str]) -> Reward:
    """The share of the reference's tokens that stand at their place.

    Raises:
        InvalidTask: The reference has no tokens.
    """
    if isinstance(reference, str) or not reference:
        raise InvalidTask("the reference has no tokens")
    if isinstance(candidate, str) or not isinstance(candidate, Sequence):
        return scored(0.0, reason="invalid_candidate")
    right = sum(
        isinstance(one, str) and one == other for one, other in zip(candidate, reference, strict=False)
    )
    # Tokens beyond the reference's are wrong ones too.
    return scored(right / max(len(candidate), len(reference)), right=right, total=len(reference))


def span_equal(candidate: tuple[str, str], reference: tuple[str, str]) -> Reward:
    """Whether two spans have the same label and the same text.

    Raises:
        InvalidTask: The reference is not a pair of texts.
    """
    if not _is_span(reference):
        raise InvalidTask("the reference is not a span")
    return scored(float(_is_span(candidate) and tuple(candidate) == tuple(reference)))


def generation_profile(config: Mapping[str, Any]) -> str | None:
    """How a configuration of generated answers is compared, or None if it is not known here."""
    if config.get("output_type") != "generate_until" or config.get("process_results") is not None:
        return None
    return _PROFILES.get(metric_names(config))


def profile_task_metrics(
    task: Any, doc: Any, responses: Any, exact_comparator: Callable[[str, str], Reward]
) -> dict[str, float] | None:
    """The metrics of one document, the best over its references, or None for another task.

    Args:
        task: The task.
        doc: The document.
        responses: The one generated text, in a list.
        exact_comparator: Compares an answer with a reference.

    Raises:
        InvalidTask: The references or the responses are unusable.
    """
    config = task_config(task)
    profile = generation_profile(config)
    if profile is None:
        return None
    text = only_text(responses, profile)
    target = task.doc_to_target(doc)
    references = [str(item) for item in (target if isinstance(target, list | tuple) else [target])]
    if not references:
        raise InvalidTask("there are no references")
    values: dict[str, float] = {}
    for name in sorted(metric_names(config)):
        grades = [
            token_f1(text.split(), reference.split()) if name == "f1" else exact_comparator(text, reference)
            for reference in references
        ]
        values[name] = max(grade.reward for grade in grades)
    return values


def _is_span(value: object) -> bool:
    return (
        isinstance(value, tuple | list) and len(value) == 2 and all(isinstance(part, str) for part in value)
    )

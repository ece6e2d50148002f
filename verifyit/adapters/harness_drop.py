"""DROP: exact match and F1 of answers that are numbers, dates or spans."""

from __future__ import annotations

from typing import Any, Final

from verifyit.adapters.harness_validation import Contract, only_text
from verifyit.reward import InvalidTask

CONTRACT: Final = Contract(
    label="DROP",
    datasets=("EleutherAI/drop",),
    output_type="generate_until",
    metrics=frozenset({"em", "f1"}),
    function="process_results",
    digests=frozenset({"a5782ee7d2e537968a5b83976195ae2b9b6e2a565a0bfb5c24d221b4d61a04f5"}),
)

Bag = set[str]


def drop_config_profile(config: dict[str, Any]) -> bool:
    """Whether a configuration is the DROP task."""
    return CONTRACT.declares(config)


def drop_task_metrics(task: Any, doc: Any, responses: Any) -> dict[str, float] | None:
    """The best exact match and F1 over a document's answers, or None for another task.

    Answers are cut into normalized spans by the task's own function; there is one span in a response.

    Raises:
        InvalidTask: The task was changed, or the document or the responses are unusable.
    """
    namespace = CONTRACT.namespace(task)
    if namespace is None:
        return None
    text = only_text(responses, CONTRACT.label)
    answers = doc.get("answers")
    if not isinstance(answers, list | tuple) or not answers:
        raise InvalidTask("a document of DROP has no answers")
    split = namespace["_answer_to_bags"]
    (span,), (bag,) = split([text])
    best = {"em": 0.0, "f1": 0.0}
    for answer in answers:
        if not answer or not answer[0].strip():
            continue
        spans, bags = split(answer)
        best["em"] = max(best["em"], float(spans == [span]))
        best["f1"] = max(best["f1"], round(_f1(bag, bags, namespace["_is_number"]), 2))
    return best


def _f1(bag: Bag, references: list[Bag], is_number: Any) -> float:
    """The F1 of the one reference span that fits best, over all spans there are."""
    return max(_pair_f1(bag, reference, is_number) for reference in references) / len(references)


def _pair_f1(bag: Bag, reference: Bag, is_number: Any) -> float:
    numbers = {word for word in reference if is_number(word)}
    if numbers and not numbers & bag:
        return 0.0
    if not bag or not reference:
        return float(bag == reference)
    shared = len(bag & reference)
    return 2 * shared / (len(bag) + len(reference))

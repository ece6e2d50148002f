"""Perplexity of documents: log-likelihoods weighted by words or bytes."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from verifyit.adapters.harness_validation import Contract, metric_names, task_config
from verifyit.reward import InvalidTask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

METRICS: Final = frozenset({"word_perplexity", "byte_perplexity", "bits_per_byte"})
CONTRACT: Final = Contract(
    label="WikiText",
    datasets=("EleutherAI/wikitext_document_level",),
    output_type="loglikelihood_rolling",
    metrics=METRICS,
    function="process_results",
    digests=frozenset({"a44020374b172159bf5be80a64d2c4194c9d5c77284f696ac666361338c8da7d"}),
)
_BLANKS: Final = re.compile(r"\s+")

Weighted = tuple[float, int]


def rolling_config_profile(config: Mapping[str, Any]) -> bool:
    """Whether a configuration is scored by perplexity, by its own functions if they are known."""
    names = metric_names(config)
    if config.get("output_type") != CONTRACT.output_type or not names or not names <= METRICS:
        return False
    return config.get("process_results") is None or CONTRACT.declares(config)


def rolling_task_metrics(task: Any, doc: Any, responses: Any) -> dict[str, Weighted] | None:
    """The log-likelihood of one document with its number of words or bytes, or None for another task.

    Raises:
        InvalidTask: The task was changed, or the document or the response is unusable.
    """
    config = task_config(task)
    if not rolling_config_profile(config):
        return None
    if config.get("process_results") is None:
        text = task.doc_to_target(doc)
    else:
        CONTRACT.namespace(task)
        # Counted in the page as it is, not in the text that was scored.
        text = doc.get("page")
    if not isinstance(text, str):
        raise InvalidTask("the document has no text")
    if not isinstance(responses, list | tuple) or len(responses) != 1:
        raise InvalidTask("a document has one response")
    value = _number(responses[0])
    counts = {"word_perplexity": len(_BLANKS.split(text))}
    return {name: (value, counts.get(name, len(text.encode()))) for name in sorted(metric_names(config))}


def weighted_perplexity(items: Iterable[Weighted]) -> float:
    """The perplexity per unit over documents.

    Raises:
        InvalidTask: There are no units, or the result is not finite.
    """
    try:
        value = math.exp(-_weighted_mean(items))
    except OverflowError:
        raise InvalidTask("the perplexity is not finite") from None
    return value


def bits_per_unit(items: Iterable[Weighted]) -> float:
    """The bits per unit over documents.

    Raises:
        InvalidTask: There are no units.
    """
    return -_weighted_mean(items) / math.log(2)


def rolling_task_aggregation(task: Any, metric: str) -> Callable[[Iterable[Weighted]], float] | None:
    """How a metric of a task is aggregated over documents, or None if it is not known here."""
    if not rolling_config_profile(task_config(task)) or metric not in METRICS:
        return None
    return bits_per_unit if metric == "bits_per_byte" else weighted_perplexity


def _weighted_mean(items: Iterable[Weighted]) -> float:
    pairs = [(_number(value), _count(units)) for value, units in items]
    total = sum(units for _value, units in pairs)
    if total == 0:
        raise InvalidTask("there is nothing to average")
    return math.fsum(value for value, _units in pairs) / total


def _number(value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # the harness gives number types of its own
    except (TypeError, ValueError):
        raise InvalidTask(f"{value!r} is no log-likelihood") from None
    if not math.isfinite(number):
        raise InvalidTask("a log-likelihood is not finite")
    return number


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise InvalidTask(f"{value!r} is no number of units")
    return value

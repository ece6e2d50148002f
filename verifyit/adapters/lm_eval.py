"""Tasks of the lm-evaluation-harness, scored by the graders here where they are known.

A task is offered to the adapters one after the other. One that knows it computes its metrics; one that
knows it and finds it changed refuses; where none knows it, the task's own ``process_results`` is called.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from verifyit.adapters.harness_agieval import agieval_task_metrics
from verifyit.adapters.harness_babilong import babilong_task_metrics
from verifyit.adapters.harness_crows import crows_task_metrics
from verifyit.adapters.harness_drop import drop_task_metrics
from verifyit.adapters.harness_math_literal import hendrycks_task_metrics
from verifyit.adapters.harness_mmmu import mmmu_task_metrics
from verifyit.adapters.harness_native import exact_match, native_task_metrics
from verifyit.adapters.harness_probability import truthfulqa_task_metrics
from verifyit.adapters.harness_profiles import profile_task_metrics
from verifyit.adapters.harness_rolling import rolling_task_aggregation, rolling_task_metrics
from verifyit.reward import InvalidTask, Reward, infra_error, scored

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# Which metric is the reward, if the caller does not say.
REWARD_METRICS: Final = ("acc", "exact_match", "em", "acc_norm", "f1")


class Task(Protocol):
    """What is asked of a harness task."""

    config: Any

    def process_results(self, doc: Any, results: Any) -> Mapping[str, Any]:
        """The metrics of one document."""

    def aggregation(self) -> Mapping[str, Callable[[Any], float]]:
        """How each metric is aggregated over documents."""


@dataclass(frozen=True)
class TaskResult:
    """The metrics of a document or of a task, and the verdict they come to."""

    metrics: Mapping[str, Any]
    verdict: Reward


def project_metrics(metrics: Mapping[str, Any], reward_metric: str | None = None) -> TaskResult:
    """The verdict that metrics come to: one of them is the reward.

    Args:
        metrics: Metrics by name.
        reward_metric: Which one; the first of the usual names if None.

    Raises:
        InvalidTask: There is no such metric.
    """
    name = reward_metric or next((usual for usual in REWARD_METRICS if usual in metrics), None)
    if name is None or name not in metrics:
        raise InvalidTask(f"there is no metric {name!r} among {', '.join(sorted(metrics)) or 'none'}")
    try:
        value = float(metrics[name])
    except (TypeError, ValueError):
        return TaskResult(metrics, infra_error(f"metric {name} is no number"))
    if not (math.isfinite(value) and 0 <= value <= 1):
        return TaskResult(metrics, infra_error(f"metric {name} is not between 0 and 1"))
    return TaskResult(metrics, scored(value, metric=name))


def score_task(
    task: Task, doc: Any, filtered_responses: Sequence[Any], reward_metric: str | None = None
) -> TaskResult:
    """Score the responses to one document.

    Raises:
        InvalidTask: The task is a known one and was changed, a document or response is unusable, or the
            reward metric is missing.
    """
    for score in _SCORERS:
        metrics = score(task, doc, filtered_responses)
        if metrics is not None:
            return project_metrics(metrics, reward_metric)
    return project_metrics(task.process_results(doc, filtered_responses), reward_metric)


def aggregate_task(
    task: Task, samples: Sequence[Mapping[str, Any]], reward_metric: str | None = None
) -> TaskResult:
    """Aggregate the metrics of documents.

    Args:
        task: The task.
        samples: The metrics of each document.
        reward_metric: Which metric is the reward.

    Raises:
        InvalidTask: There are no samples, their metrics differ, or the reward metric is missing.
    """
    if not samples or any(sample.keys() != samples[0].keys() for sample in samples):
        raise InvalidTask("there must be samples, all with the same metrics")
    functions = task.aggregation()
    values = {}
    for name in samples[0]:
        aggregate = rolling_task_aggregation(task, name) or functions.get(name) or _mean
        values[name] = aggregate([sample[name] for sample in samples])
    return project_metrics(values, reward_metric)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _profiles(task: Any, doc: Any, responses: Any) -> dict[str, float] | None:
    return profile_task_metrics(task, doc, responses, lambda text, reference: exact_match(text, [reference]))


_SCORERS: Final[tuple[Callable[[Any, Any, Any], Mapping[str, Any] | None], ...]] = (
    agieval_task_metrics,
    babilong_task_metrics,
    crows_task_metrics,
    drop_task_metrics,
    hendrycks_task_metrics,
    mmmu_task_metrics,
    truthfulqa_task_metrics,
    native_task_metrics,
    _profiles,
    rolling_task_metrics,
)

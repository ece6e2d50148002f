"""Metrics that need all answers at once, computed by the harness itself in a process that can be killed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from verifyit.adapters.harness_validation import metric_names
from verifyit.execution.worker import call_bounded
from verifyit.reward import InvalidTask, Reward, infra_error, scored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# Corpus metrics and what they are divided by to lie between 0 and 1.
CORPUS_METRICS: Final = {"bleu": 100.0, "chrf": 100.0, "chrf++": 100.0}
STAGES: Final = ("observations", "complete")


@dataclass(frozen=True)
class BatchResult:
    """What a corpus came to.

    Attributes:
        observations: The reference and the answer of each sample, as they were compared.
        aggregates: The corpus metrics, on their own scales.
        verdict: The first metric as a reward.
    """

    observations: list[dict[str, Any]]
    aggregates: dict[str, float] = field(default_factory=dict)
    verdict: Reward = field(default_factory=lambda: infra_error("the corpus was not aggregated"))


def validate_aggregation_seed(seed: object) -> int:
    """A seed for what aggregation draws at random.

    Raises:
        InvalidTask: It is not an integer from 0 to 2**32 - 1.
    """
    if type(seed) is not int or not 0 <= seed < 2**32:
        raise InvalidTask(f"a seed is an integer from 0 to 2**32 - 1, not {seed!r}")
    return seed


def corpus_config_profile(config: Mapping[str, Any]) -> str | None:
    """The corpus metric that a configuration is scored by first, or None if it has none."""
    if config.get("output_type") != "generate_until" or config.get("process_results") is not None:
        return None
    names = metric_names(config)
    if not names or not names <= CORPUS_METRICS.keys():
        return None
    return next(name for name in CORPUS_METRICS if name in names)


def score_corpus(
    source_root: Path,
    config_path: Path,
    samples: Sequence[Mapping[str, Any]],
    *,
    timeout: float = 600.0,
    stage: str = "complete",
    aggregation_seed: int | None = None,
) -> BatchResult:
    """Score a corpus with the metrics of a harness.

    Args:
        source_root: The folder that the harness package ``lm_eval`` is in.
        config_path: The task's configuration, as YAML.
        samples: ``{"target": reference, "response": answer}`` each.
        timeout: How long it may take, in seconds.
        stage: ``observations`` only collects the pairs; ``complete`` aggregates them too.
        aggregation_seed: Seeds what aggregation draws at random.

    Raises:
        InvalidTask: The configuration has no corpus metric, or a sample or an option is unusable.
        TimeoutError: It took longer.
        RuntimeError: The worker died.
    """
    if stage not in STAGES:
        raise InvalidTask(f"stage must be one of {', '.join(STAGES)}, not {stage!r}")
    seed = 0 if aggregation_seed is None else validate_aggregation_seed(aggregation_seed)
    metrics = _corpus_metrics(config_path)
    observations = [_observation(sample) for sample in samples]
    if not observations:
        raise InvalidTask("there are no samples")
    if stage == "observations":
        return BatchResult(observations)
    pairs = [(sample["target"], sample["response"]) for sample in observations]
    aggregates = call_bounded(aggregate_pairs, str(source_root), metrics, pairs, seed, timeout=timeout)
    value = aggregates[metrics[0]] / CORPUS_METRICS[metrics[0]]
    if not math.isfinite(value):
        return BatchResult(observations, aggregates, infra_error(f"{metrics[0]} is not finite"))
    return BatchResult(observations, aggregates, scored(min(max(value, 0.0), 1.0), **aggregates))


def aggregate_pairs(
    source_root: str, metrics: list[str], pairs: list[tuple[str, str]], seed: int
) -> dict[str, float]:
    """In the worker: the harness's own aggregation of pairs of a reference and an answer."""
    import random  # noqa: PLC0415 - the worker's imports
    import sys  # noqa: PLC0415
    from importlib import import_module  # noqa: PLC0415

    sys.path.insert(0, source_root)
    random.seed(seed)
    module = import_module("lm_eval.api.metrics")
    functions = {"bleu": "bleu", "chrf": "chrf", "chrf++": "chrfpp"}
    return {name: float(getattr(module, functions[name])(pairs)) for name in metrics}


def _corpus_metrics(config_path: Path) -> list[str]:
    from verifyit._extras import import_extra  # noqa: PLC0415 - only corpora need YAML

    yaml = import_extra("yaml", "schema")
    try:
        config = yaml.safe_load(config_path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise InvalidTask(f"cannot read {config_path.name}: {error}") from None
    first = corpus_config_profile(config) if isinstance(config, dict) else None
    if first is None:
        raise InvalidTask(f"{config_path.name} has no corpus metric that is known here")
    return [first, *sorted(metric_names(config) - {first})]


def _observation(sample: Mapping[str, Any]) -> dict[str, Any]:
    target, response = sample.get("target"), sample.get("response")
    if not isinstance(target, str):
        raise InvalidTask("a sample has no target")
    # An answer that is none is the model's failure, and counts as an empty one.
    return {"target": target, "response": response if isinstance(response, str) else ""}

"""Tasks of an evaluation harness that are scored by the harness's own metrics: exact match and likelihood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from verifyit.adapters.harness_validation import log_likelihoods, metric_names, only_text, task_config
from verifyit.modes.grade_mcq import LikelihoodScoring, grade_mcq_likelihoods
from verifyit.preparation.errors import PreparationError
from verifyit.preparation.text import TextNormalization, TextPolicy, normalize_text, structure_text
from verifyit.reward import InvalidTask, Reward, scored
from verifyit.spec import EmptyOutputPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EXACT: Final = "exact_match"
LIKELIHOOD: Final = "likelihood"
_OPTIONS: Final = ("regexes_to_ignore", "ignore_case", "ignore_punctuation", "ignore_numbers")
_LIKELIHOOD_METRICS: Final = frozenset({"acc", "acc_norm"})


def exact_match(
    candidate: str,
    references: Sequence[str],
    *,
    empty_output: EmptyOutputPolicy = EmptyOutputPolicy.GRADE,
    normalization_policy: TextPolicy = TextPolicy.HARNESS_EXACT,
    **options: Any,
) -> Reward:
    """Whether a text is one of the references under a normalization.

    Args:
        candidate: The text.
        references: What it may be.
        empty_output: Whether a blank text is compared.
        normalization_policy: The rule.
        **options: Options of TextNormalization.

    Raises:
        InvalidTask: The references or the options are unusable.
    """
    unknown = sorted(set(options) - set(_OPTIONS))
    if unknown:
        raise InvalidTask(f"unknown options: {', '.join(unknown)}")
    patterns = options.get("regexes_to_ignore") or ()
    options["regexes_to_ignore"] = (patterns,) if isinstance(patterns, str) else tuple(patterns)
    normalization = TextNormalization(policy=normalization_policy, **options)
    try:
        inputs = structure_text(candidate, references)
        if empty_output is EmptyOutputPolicy.ZERO and not candidate.strip():
            return scored(0.0, reason="empty_output")
        prepared = normalize_text(inputs, normalization)
    except InvalidTask:
        raise
    except PreparationError as error:
        return error.verdict
    return scored(float(prepared.candidate in prepared.references))


def likelihood_choice(
    choices: Sequence[str], likelihoods: Sequence[float], gold: Sequence[int], normalization: str = "raw"
) -> Reward:
    """Whether the likeliest choice is a right one.

    Args:
        choices: The texts.
        likelihoods: Their log-likelihoods.
        gold: The indices of the right ones.
        normalization: ``raw``, or ``length``: divided by the number of characters.

    Raises:
        InvalidTask: The numbers do not fit together, or the normalization is unknown.
    """
    if normalization not in ("raw", "length"):
        raise InvalidTask(f"unknown normalization {normalization!r}")
    lengths = [len(choice) if normalization == "length" else 1 for choice in choices]
    return grade_mcq_likelihoods(
        likelihoods, gold, normalization_lengths=lengths, policy=LikelihoodScoring.MOST_LIKELY
    )


def native_config_route(config: Mapping[str, Any]) -> str | None:
    """How a configuration without functions of its own is scored, or None if it is not known here."""
    names = metric_names(config)
    if config.get("process_results") is not None or not names:
        return None
    if config.get("output_type") == "generate_until" and names == {"exact_match"}:
        return EXACT
    if config.get("output_type") == "multiple_choice" and names <= _LIKELIHOOD_METRICS:
        return LIKELIHOOD
    return None


def native_task_metrics(
    task: Any,
    doc: Any,
    responses: Any,
    *,
    exact_empty_output: EmptyOutputPolicy = EmptyOutputPolicy.GRADE,
) -> dict[str, float] | None:
    """The metrics of one document, or None for a task that is not known here.

    Raises:
        InvalidTask: The references, choices or responses are unusable.
    """
    config = task_config(task)
    route = native_config_route(config)
    if route == EXACT:
        options: dict[str, Any] = config["metric_list"][0]
        verdict = exact_match(
            only_text(responses, EXACT),
            _references(task.doc_to_target(doc)),
            empty_output=exact_empty_output,
            **{name: options[name] for name in _OPTIONS if name in options},
        )
        return {"exact_match": verdict.reward}
    if route != LIKELIHOOD:
        return None
    choices = list(task.doc_to_choice(doc))
    likelihoods = log_likelihoods(responses, LIKELIHOOD)
    gold = _gold(task.doc_to_target(doc), choices)
    by_name = {"acc": "raw", "acc_norm": "length"}
    return {
        name: likelihood_choice(choices, likelihoods, gold, by_name[name]).reward
        for name in sorted(metric_names(config))
    }


def _references(target: Any) -> list[str]:
    targets = list(target) if isinstance(target, list | tuple) else [target]
    return [item if isinstance(item, str) else str(item) for item in targets]


def _gold(target: Any, choices: list[str]) -> list[int]:
    gold = []
    for item in target if isinstance(target, list | tuple) else [target]:
        if isinstance(item, str) and item in choices:
            gold.append(choices.index(item))
        elif type(item) is int:
            gold.append(item)
        else:
            raise InvalidTask(f"the target {item!r} is not a choice")
    return gold

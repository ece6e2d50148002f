"""AGIEval multiple choice, where several options may be right."""

from __future__ import annotations

from typing import Any, Final

from verifyit.adapters.harness_native import likelihood_choice
from verifyit.adapters.harness_validation import Contract, log_likelihoods
from verifyit.reward import InvalidTask

CONTRACT: Final = Contract(
    label="AGIEval",
    datasets=("hails/agieval-",),
    output_type="multiple_choice",
    metrics=frozenset({"acc", "acc_norm"}),
    function="process_results_mcqa",
    digests=frozenset({"d54929f3cfcae8ee7f1f0171414cb81ec19b4243ea6474d8155956beb18327d3"}),
)


def agieval_config_profile(config: dict[str, Any]) -> bool:
    """Whether a configuration is an AGIEval multiple-choice task."""
    return CONTRACT.declares(config)


def validate_agieval_task(task: Any) -> bool:
    """Whether a task is an AGIEval multiple-choice task, unchanged.

    Raises:
        InvalidTask: It is one, and was changed.
    """
    return CONTRACT.namespace(task) is not None


def agieval_metrics(choices: Any, gold: Any, responses: Any) -> dict[str, float]:
    """The accuracy of the likeliest choice, raw and by length.

    Raises:
        InvalidTask: The choices, the right ones or the responses are unusable.
    """
    if not isinstance(choices, list | tuple) or not all(isinstance(choice, str) for choice in choices):
        raise InvalidTask("the choices of AGIEval are not texts")
    if not isinstance(gold, list | tuple):
        raise InvalidTask("the right choices of AGIEval are not a list")
    likelihoods = log_likelihoods(responses, CONTRACT.label)
    return {
        "acc": likelihood_choice(choices, likelihoods, gold).reward,
        "acc_norm": likelihood_choice(choices, likelihoods, gold, "length").reward,
    }


def agieval_task_metrics(task: Any, doc: Any, responses: Any) -> dict[str, float] | None:
    """The metrics of one document, or None for another task.

    Raises:
        InvalidTask: The task was changed, or the document or the responses are unusable.
    """
    if not validate_agieval_task(task):
        return None
    return agieval_metrics(doc.get("choices"), doc.get("gold"), responses)

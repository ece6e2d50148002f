"""Which judge specs can be graded by."""

from __future__ import annotations

import math

from verifyit._answer import empty_output_policy
from verifyit.modes._judge_text import check_template
from verifyit.modes.grade_ifeval import resolve_checks
from verifyit.modes.run import require_timeout
from verifyit.reward import InvalidTask
from verifyit.spec import RUBRIC_CHECKLIST, RUBRIC_LABELS, RUBRIC_REFERENCE, JudgeSpec

_CHOICES = {
    "api": ("chat_completions", "responses"),
    "rubric": (RUBRIC_REFERENCE, RUBRIC_CHECKLIST, RUBRIC_LABELS),
    "label_scan": ("literal", "lines", "whole"),
    "label_case": ("sensitive", "upper"),
}


def validate_judge_spec(spec: JudgeSpec) -> None:
    """Refuse a spec that no judge can grade by.

    Raises:
        InvalidTask: An option is unknown, what the rubric needs is missing, a budget or the timeout is
            unusable, or labels, their scores, their template or the exact gate are inconsistent.
    """
    empty_output_policy(spec)
    for name, choices in _CHOICES.items():
        if getattr(spec, name) not in choices:
            raise InvalidTask(f"{name} must be one of {', '.join(choices)}, not {getattr(spec, name)!r}")
    if spec.api == "responses" and spec.rubric != RUBRIC_LABELS:
        raise InvalidTask("the responses api is for the labels rubric only")
    require_timeout(spec.request_timeout, "request_timeout")
    _validate_budgets(spec)
    if spec.constraints:
        resolve_checks(spec.constraints)
    if spec.rubric == RUBRIC_REFERENCE and not any(reference.strip() for reference in spec.references):
        raise InvalidTask("the reference rubric needs a reference")
    if spec.rubric == RUBRIC_CHECKLIST and not any(criterion.strip() for criterion in spec.criteria):
        raise InvalidTask("the checklist rubric needs a criterion")
    if spec.rubric == RUBRIC_LABELS:
        _validate_labels(spec)
    _validate_gate(spec)


def _validate_budgets(spec: JudgeSpec) -> None:
    for name in ("max_completion_tokens", "incomplete_retry_tokens"):
        budget = getattr(spec, name)
        if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
            raise InvalidTask(f"{name} must be an integer of at least 0, not {budget!r}")
    if spec.max_completion_tokens == 0:
        raise InvalidTask("max_completion_tokens must not be 0")
    if 0 < spec.incomplete_retry_tokens <= spec.max_completion_tokens:
        raise InvalidTask("incomplete_retry_tokens must be more than max_completion_tokens")


def _validate_labels(spec: JudgeSpec) -> None:
    if len(spec.references) != 1:
        raise InvalidTask("the labels rubric needs exactly one reference")
    check_template(spec.prompt_template)
    table: object = spec.label_scores
    if not isinstance(table, dict) or not table:
        raise InvalidTask("label_scores must be a table with at least one label")
    seen = set()
    for label, score in table.items():
        if not isinstance(label, str) or not label or label != label.strip() or len(label.splitlines()) != 1:
            raise InvalidTask(f"label {label!r} must be one line without outer blanks")
        cased = label.upper() if spec.label_case == "upper" else label
        if cased in seen:
            raise InvalidTask(f"label {label!r} is there twice")
        seen.add(cased)
        if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
            raise InvalidTask(f"the score of label {label!r} must be a number from 0 to 1, not {score!r}")
        assert math.isfinite(score)


def _validate_gate(spec: JudgeSpec) -> None:
    if not spec.exact_gate_answers and not spec.exact_gate_label:
        return
    if spec.rubric != RUBRIC_LABELS:
        raise InvalidTask("exact_gate_answers and exact_gate_label are for the labels rubric")
    if not spec.exact_gate_answers or not all(spec.exact_gate_answers):
        raise InvalidTask("exact_gate_answers must hold answers that are not empty")
    if spec.exact_gate_label not in spec.label_scores:
        raise InvalidTask(f"exact_gate_label {spec.exact_gate_label!r} is not a label")

"""MMMU: a letter among choices, or an open answer of a word or a number."""

from __future__ import annotations

import ast
from typing import Any, Final

from verifyit.adapters.harness_validation import Contract, only_text
from verifyit.reward import InvalidTask, Reward, scored

CONTRACT: Final = Contract(
    label="MMMU",
    datasets=("MMMU/MMMU",),
    output_type="generate_until",
    metrics=frozenset({"acc"}),
    function="process_results",
    digests=frozenset({"65e52c4a7694c68df5fdd250be8c3998af3a835d22e669a64235197d42a83057"}),
)
_LETTERS: Final = "ABCDEFGHI"


class _NoAnswerError(Exception):
    """The benchmark would guess here."""


class _Choices(list[str]):
    """Choices that can be gone through and not drawn from: a guess must not earn a reward."""

    def __getitem__(self, index: Any) -> Any:
        raise _NoAnswerError


def mmmu_config_profile(config: dict[str, Any]) -> bool:
    """Whether a configuration is an MMMU task."""
    return CONTRACT.declares(config)


def validate_mmmu_task(task: Any) -> bool:
    """Whether a task is an MMMU task, unchanged.

    Raises:
        InvalidTask: It is one, and was changed.
    """
    return CONTRACT.namespace(task) is not None


def grade_mmmu_mcq(choices: Any, gold: Any, extracted: object) -> Reward:
    """Whether an extracted letter is a right one.

    Raises:
        InvalidTask: The choices are not letters, or the right ones are not among them.
    """
    wanted = set(gold) if isinstance(gold, list | tuple) else {gold}
    if not isinstance(choices, list | tuple) or not wanted or not wanted <= set(choices):
        raise InvalidTask("the right letter is not among the choices")
    if extracted is None:
        return scored(0.0, reason="no_answer")
    return scored(float(isinstance(extracted, str) and extracted in wanted))


def grade_mmmu_open(references: Any, candidates: Any) -> Reward:
    """Whether one of the candidates is one of the references: texts by containment, numbers by value.

    Raises:
        InvalidTask: There are no references.
    """
    if not isinstance(references, list | tuple) or not references:
        raise InvalidTask("there are no references")
    if not isinstance(candidates, list | tuple | set | frozenset):
        return scored(0.0, reason="invalid_candidate")
    texts = [reference for reference in references if isinstance(reference, str)]
    numbers = [reference for reference in references if type(reference) in (int, float)]
    for candidate in candidates:
        if isinstance(candidate, str) and any(text in candidate for text in texts):
            return scored(1.0)
        if type(candidate) in (int, float) and candidate in numbers:
            return scored(1.0)
    return scored(0.0)


def mmmu_task_metrics(task: Any, doc: Any, responses: Any) -> dict[str, float] | None:
    """The metrics of one document, or None for another task.

    Raises:
        InvalidTask: The task was changed, or the document or the responses are unusable.
    """
    namespace = CONTRACT.namespace(task)
    if namespace is None:
        return None
    text = only_text(responses, CONTRACT.label)
    answer = doc.get("answer")
    if doc.get("question_type") == "multiple-choice":
        return {"acc": _grade_choice(namespace, doc, text, answer).reward}
    answers = answer if isinstance(answer, list) else [answer]
    if not all(isinstance(item, str) for item in answers):
        raise InvalidTask("an answer of MMMU is not a text")
    references = [form for item in answers for form in namespace["normalize_str"](item)]
    return {"acc": grade_mmmu_open(references, namespace["parse_open_response"](text)).reward}


def _grade_choice(namespace: dict[str, Any], doc: Any, text: str, answer: Any) -> Reward:
    try:
        options = ast.literal_eval(doc.get("options"))
    except (ValueError, SyntaxError, TypeError, RecursionError):
        raise InvalidTask("the options of a document of MMMU cannot be read") from None
    if not isinstance(options, list) or not 1 <= len(options) <= len(_LETTERS):
        raise InvalidTask("a document of MMMU has one to nine options")
    letters = _Choices(_LETTERS[: len(options)])
    by_letter = dict(zip(_LETTERS, options, strict=False))
    try:
        extracted = namespace["parse_multi_choice_response"](text, letters, by_letter)
    except _NoAnswerError:
        extracted = None
    return grade_mmmu_mcq(list(by_letter), answer, extracted)

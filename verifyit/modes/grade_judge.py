"""Mode ``judge``: a language model grades the answer, after every check that needs no model.

The answer reaches the model as marked data, a verdict counts only on the last line of a whole reply, and a
judge that cannot be asked, or does not keep to its form, is an ``infra_error`` with its attempts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from verifyit._answer import read_answer
from verifyit.file_ops.read import read_text
from verifyit.modes._judge_client import Judge, JudgeConnection, connect
from verifyit.modes._judge_ordinal import grade_paired_ordinal
from verifyit.modes._judge_spec import validate_judge_spec
from verifyit.modes._judge_text import (
    boxed_answer,
    checklist_prompt,
    fill_template,
    normalize,
    read_label,
    read_score,
    reference_prompt,
    strip_reasoning,
)
from verifyit.modes.grade_ifeval import grade_ifeval_candidate
from verifyit.reward import GradingInfraError, InvalidTask, Reward, scored
from verifyit.spec import (
    RUBRIC_LABELS,
    RUBRIC_REFERENCE,
    EmptyOutputPolicy,
    IfevalSpec,
    JudgeRuntimeSource,
    JudgeSpec,
)

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "JudgeConnection",
    "boxed_answer",
    "grade",
    "grade_judge_candidate",
    "grade_paired_ordinal",
    "normalize",
    "validate_judge_spec",
]

# How much of the context is shown.
CONTEXT_CHARACTERS: Final = 60_000
# A longer answer could overflow the judge's window, and so keep itself from being graded.
MAX_JUDGED_CHARACTERS: Final = 100_000


def grade(
    spec: JudgeSpec,
    tests_dir: Path,
    workspace: Path,
    runtime: JudgeRuntimeSource | None = JudgeRuntimeSource.ENVIRONMENT,
) -> Reward:
    """Grade an answer file.

    Raises:
        InvalidTask: The spec is unusable, its context is missing, or no endpoint or model is configured.
        GradingInfraError: The judge cannot be asked, or gave no usable reply.
        RuntimeError: The judge has to be asked and runtime is None.
    """
    validate_judge_spec(spec)
    context = _read_context(spec, tests_dir)
    answer = read_answer(spec, workspace)
    if isinstance(answer, Reward):
        return answer
    return grade_judge_candidate(spec, answer, runtime=runtime, context=context)


def grade_judge_candidate(
    spec: JudgeSpec,
    candidate: str,
    *,
    connection: JudgeConnection | None = None,
    runtime: JudgeRuntimeSource | None = JudgeRuntimeSource.ENVIRONMENT,
    context: str = "",
    gate_candidate: str | None = None,
) -> Reward:
    """Grade one answer.

    Args:
        spec: What to grade by.
        candidate: The answer.
        connection: Where to ask; from the environment if None.
        runtime: None forbids the environment.
        context: Material for the checklist rubric.
        gate_candidate: What the exact gate compares, if not the candidate.

    Raises:
        InvalidTask: The spec is unusable, or no endpoint or model is configured.
        GradingInfraError: The judge cannot be asked, or gave no usable reply.
        RuntimeError: The judge has to be asked, and there is no connection and no runtime.
    """
    validate_judge_spec(spec)
    if spec.strip_candidate_reasoning_blocks:
        candidate = strip_reasoning(candidate)
    if spec.empty_output is EmptyOutputPolicy.ZERO and not candidate.strip():
        return scored(0.0, reason="no_output")
    gated = _gate(spec, candidate, candidate if gate_candidate is None else gate_candidate)
    if gated is not None:
        return gated
    if len(candidate) > MAX_JUDGED_CHARACTERS:
        return scored(0.0, reason="answer_too_large", limit_characters=MAX_JUDGED_CHARACTERS)
    judge = connect(spec, connection, runtime)
    # A lone surrogate cannot be sent.
    candidate = candidate.encode("utf-8", "replace").decode("utf-8")
    try:
        if spec.rubric == RUBRIC_LABELS:
            return _grade_labels(judge, candidate)
        if spec.rubric == RUBRIC_REFERENCE:
            return _grade_reference(judge, candidate)
        return _grade_checklist(judge, candidate, context[:CONTEXT_CHARACTERS])
    finally:
        judge.client.close()


def _read_context(spec: JudgeSpec, tests_dir: Path) -> str:
    if not spec.context:
        return ""
    try:
        return read_text(tests_dir / spec.context, characters=CONTEXT_CHARACTERS, errors="replace")
    except OSError as error:
        raise InvalidTask(f"the context {spec.context!r} cannot be read: {error}") from None


def _gate(spec: JudgeSpec, candidate: str, gate_candidate: str) -> Reward | None:
    """The verdict that needs no judge, if there is one."""
    if spec.constraints:
        checked = grade_ifeval_candidate(IfevalSpec(spec.constraints), candidate)
        if checked.reward != 1:
            return scored(0.0, gate="constraints", failed=checked.detail["failed"])
    if not spec.exact_gate:
        return None
    if spec.rubric == RUBRIC_LABELS:
        if gate_candidate not in spec.exact_gate_answers:
            return None
        score = spec.label_scores[spec.exact_gate_label]
        return scored(score, gate="exact", verdict=spec.exact_gate_label)
    if spec.rubric != RUBRIC_REFERENCE:
        return None
    answer = normalize(boxed_answer(gate_candidate))
    # Nothing may be left of either: "the" is not an answer to a reference of three dots.
    matches = answer and any(normalize(reference) == answer for reference in spec.references)
    return scored(1.0, gate="exact") if matches else None


def _spoken(spec: JudgeSpec, reply: str) -> str:
    return strip_reasoning(reply) if spec.strip_reasoning_blocks else reply


def _grade_reference(judge: Judge, candidate: str) -> Reward:
    spec = judge.spec
    prompt = [{"role": "user", "content": reference_prompt(spec, candidate)}]
    answered = judge.ask(prompt, lambda reply: read_score(_spoken(spec, reply), ("0", "0.5", "1")))
    score, reasoning = cast("tuple[float, str]", answered.value)
    return scored(score, model=judge.model, reasoning=reasoning, **answered.detail())


def _grade_checklist(judge: Judge, candidate: str, context: str) -> Reward:
    spec = judge.spec
    findings: list[dict[str, object]] = []
    passed = 0
    for criterion in filter(str.strip, spec.criteria):
        prompt = [{"role": "user", "content": checklist_prompt(spec, criterion, candidate, context)}]
        try:
            answered = judge.ask(prompt, lambda reply: read_score(_spoken(spec, reply), ("0", "1")))
        except GradingInfraError as error:
            detail = error.detail | {"criterion": criterion, "criteria": findings}
            raise GradingInfraError(str(error), **detail) from error
        score, reasoning = cast("tuple[float, str]", answered.value)
        passed += score == 1
        findings.append(
            {"criterion": criterion, "passed": score == 1, "reasoning": reasoning, **answered.detail()}
        )
    total = len(findings)
    return scored(passed / total, model=judge.model, passed=passed, total=total, criteria=findings)


def _grade_labels(judge: Judge, candidate: str) -> Reward:
    spec = judge.spec
    fields = {"question": spec.question, "reference": spec.references[0], "candidate": candidate}
    prompt = [{"role": "user", "content": fill_template(spec.prompt_template, fields)}]
    if spec.system_prompt:
        prompt.insert(0, {"role": "system", "content": spec.system_prompt})

    def read(reply: str) -> tuple[str, str, str]:
        text = _spoken(spec, reply)
        return (*read_label(spec, text), text)

    answered = judge.ask(prompt, read)
    verdict, reasoning, completion = cast("tuple[str, str, str]", answered.value)
    return scored(
        spec.label_scores[verdict],
        model=judge.model,
        verdict=verdict,
        reasoning=reasoning,
        completion=completion,
        **answered.detail(),
    )

"""The answer in a model's completion, which may hold reasoning in a channel of its own or in its text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from verifyit.modes._judge_text import strip_reasoning
from verifyit.modes.extract import extract_boxed


class CompletionStatus(StrEnum):
    """How a completion ended."""

    COMPLETED = "completed"
    TRUNCATED = "truncated"
    FAILED = "failed"


@dataclass(frozen=True)
class Completion:
    """What a model wrote, its reasoning apart, and how it ended."""

    content: str
    reasoning: str = ""
    status: CompletionStatus = CompletionStatus.COMPLETED


def final_text(text: str) -> str:
    """What follows the last end of reasoning, stripped; nothing if reasoning is not finished."""
    return strip_reasoning(text).strip()


def answer_text(completion: Completion) -> str:
    """The answer of a completion.

    A completion that is whole and has only reasoning has its answer there; one that was cut off or failed
    has none there.
    """
    text = final_text(completion.content)
    if text or completion.status is not CompletionStatus.COMPLETED:
        return text
    return completion.reasoning.strip()


def math_answer_text(completion: Completion) -> str:
    """The answer of a completion to a mathematical question: reasoning alone must hold a box."""
    text = final_text(completion.content)
    if text:
        return text
    answer = answer_text(completion)
    return answer if extract_boxed(answer) is not None else ""

"""The verdict: strict reading of what a verifier said, into one frozen value.

The rules themselves are in `deepgym._judge.verdict`, for the judge needs them where deepgym is not installed.
Here they are applied to what arrived, the environment's `pass_threshold` is filled in, and several verdicts
become one.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from deepgym._judge.verdict import VerdictError, parse_json, read_verdict
from deepgym._printed import read_printed
from deepgym.models import Case

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Verdict",
    "VerdictError",
    "combine_verdicts",
    "parse_printed",
    "parse_verdict",
    "parse_verdict_json",
]


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """What a verifier said about an answer, checked.

    Attributes:
        score: In [0, 1].
        passed: As said, or whether the score reaches the environment's threshold.
        details: The verifier's explanation.
        cases: Its checks, in order.
        reward_components: Named finite numbers.
        metrics: Named JSON values.
        seed: The seed it used.
        truncated: Its word on whether the answer was cut short.
        error_type: Its own word for what was wrong with the answer.
    """

    score: float
    passed: bool
    details: str = ""
    cases: tuple[Case, ...] = ()
    reward_components: dict[str, float] = dataclasses.field(default_factory=dict)
    metrics: dict[str, Any] = dataclasses.field(default_factory=dict)
    seed: int | None = None
    truncated: bool = False
    error_type: str | None = None


def parse_verdict(value: object, *, pass_threshold: float = 1.0) -> Verdict:
    """The verdict in what a verifier returned: a float, a bool or a dict.

    Raises:
        VerdictError: It is anything else, or what decides the reward is malformed.
    """
    return _build(read_verdict(value), pass_threshold)


def parse_verdict_json(text: str, *, pass_threshold: float = 1.0) -> Verdict:
    """The verdict in one JSON text.

    Raises:
        VerdictError: It is not strict JSON (no repeated key, no NaN, no number too large), or not a verdict.
    """
    return parse_verdict(parse_json(text), pass_threshold=pass_threshold)


def parse_printed(stdout: str, *, pass_threshold: float = 1.0) -> Verdict | None:
    """The verdict in a script's output: of several, the lowest score, and passed only if all of them are.

    Raises:
        VerdictError: A line is meant as a verdict and is none.
    """
    verdicts = [_build(verdict, pass_threshold) for verdict in read_printed(stdout)]
    return combine_verdicts(verdicts) if verdicts else None


def combine_verdicts(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict for several: the one with the lowest score, passed only if all of them are.

    A solution whose text a verifier prints can thus add a verdict, and only lose by it.
    """
    lowest = min(verdicts, key=lambda verdict: verdict.score)
    return dataclasses.replace(lowest, passed=all(verdict.passed for verdict in verdicts))


def _build(verdict: dict[str, Any], pass_threshold: float) -> Verdict:
    score: float = verdict["score"]
    return Verdict(
        score=score,
        passed=verdict.get("passed", score >= pass_threshold),
        details=verdict["details"],
        cases=tuple(Case(**case) for case in verdict["cases"]),
        reward_components=verdict["reward_components"],
        metrics=verdict["metrics"],
        seed=verdict["seed"],
        truncated=verdict["truncated"],
        error_type=verdict["error_type"],
    )

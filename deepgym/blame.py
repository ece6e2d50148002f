"""Who is to blame for how a run ended: a verdict, or none. Pure, and the only place that decides it.

The rule: once solution code has run, whatever ends the run is the solution's; before that, it is the
machine's or the verifier's. `Ending.solution_in_play` must come from evidence that the solution cannot forge.

How a run ended is first reduced to one cause; `_BLAME` then names the error for a cause before and after the
solution was in play. An error that starts with `solution_` is a verdict of 0, every other one is no verdict.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Final, Literal

from deepgym.protocol import Verdict, VerdictError, combine_verdicts, parse_printed, parse_verdict

__all__ = ["Decision", "Ending", "How", "SolutionErrorKind", "decide"]

How = Literal["returned", "exited", "raised", "launch_error", "signal", "timeout", "lost", "unreachable"]
SolutionErrorKind = Literal["solution_error", "solution_timeout"]

_Cause = Literal[
    "solution_error",
    "solution_timeout",
    "crashed",
    "garbage",
    "declared",
    "unknown_exit",
    "killed",
    "hung",
    "not_started",
    "lost",
    "unreachable",
]

# cause: (before solution code ran, after)
_BLAME: Final[dict[_Cause, tuple[str, str]]] = {
    # The library that starts solutions has decided these two where it crossed the boundary.
    "solution_error": ("solution_error", "solution_error"),
    "solution_timeout": ("solution_timeout", "solution_timeout"),
    "crashed": ("runtime_error", "solution_error"),
    "garbage": ("verifier_error", "solution_error"),
    "declared": ("verifier_error", "solution_error"),
    "unknown_exit": ("runtime_error", "solution_error"),
    "killed": ("runtime_error", "solution_error"),
    "hung": ("verifier_timeout", "solution_timeout"),
    # An answer that exhausts the machine must not turn its 0 into an outage when it is started again.
    "not_started": ("sandbox_error", "solution_error"),
    "lost": ("sandbox_error", "solution_error"),
    "unreachable": ("sandbox_error", "sandbox_error"),
}

# What a verifier's exit code means; 0 and 1 carry a verdict.
EXIT_PASSED, EXIT_FAILED, EXIT_VERIFIER_ERROR = 0, 1, 2

# Tracebacks end with what matters, so the end is kept.
MAX_ERROR_CHARS = 16_384


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended, as trusted code saw it.

    Attributes:
        how: `returned` or `exited` of its own accord; `raised` an exception that nobody caught;
        `launch_error`: the
            solution could not be started; killed by a `signal`; stopped at the `timeout`; its box was `lost`;
            `unreachable`: the provider failed in a way that no solution can cause.
        solution_in_play: Whether solution code had begun to run.
        exit_code: With which code the verifier exited, if it did.
        signal: Which signal killed it, if one did.
        verdicts: What came over the private descriptor, one entry a verdict.
        printed: The output of a script; `None` for other shapes, whose prints are never verdicts.
        invalid: Why the judge refused what the verifier returned.
        error: The traceback, or what the machine said.
        solution_error: Set when the exception was a `SolutionError` that the verifier let through.
    """

    how: How
    solution_in_play: bool = False
    exit_code: int | None = None
    signal: int | None = None
    verdicts: tuple[object, ...] = ()
    printed: str | None = None
    invalid: str | None = None
    error: str = ""
    solution_error: SolutionErrorKind | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What a run's ending means; the fields are those of `RunResult`.

    Attributes:
        has_verdict: Whether the answer was judged.
        score: In [0, 1]; 0.0 without a verdict.
        passed: Whether it passed.
        error_type: What went wrong, or the verdict's own word.
        exit_code: 0 passed, 1 failed, 2 no verdict; or the process's own code where it is none of these;
        `None`
            where the machine failed.
        details: The verdict's, or what went wrong.
        verdict: The verdict that was given, with its cases; `None` for a judged 0 that no verifier worded.
    """

    has_verdict: bool
    score: float
    passed: bool
    error_type: str | None
    exit_code: int | None
    details: str
    verdict: Verdict | None = None


def decide(ending: Ending, *, pass_threshold: float = 1.0) -> Decision:
    """The verdict of a run that ended so, or the error that stands in its place."""
    cause: _Cause
    match ending:
        case Ending(how="returned" | "exited", exit_code=None | 0 | 1):
            try:
                return _scored(_find_verdict(ending, pass_threshold), ending)
            except VerdictError as error:
                return _blame("garbage", ending, f"the verifier gave no valid verdict: {error}")
        case Ending(how="returned" | "exited", exit_code=2):
            return _blame("declared", ending, "the verifier exited with code 2: it could not judge")
        case Ending(how="returned" | "exited"):
            problem = f"the verifier exited with code {ending.exit_code}: only 0 and 1 carry a verdict"
            return _blame("unknown_exit", ending, problem)
        case Ending(how="raised"):
            cause = ending.solution_error or "crashed"
            return _blame(cause, ending, "" if ending.error else "the verifier raised an exception")
        case Ending(how="signal"):
            return _blame("killed", ending, f"the verifier was killed by {_signal_name(ending.signal)}")
        case Ending(how="timeout"):
            return _blame("hung", ending, "the run did not end within its timeout")
        case Ending(how="launch_error"):
            return _blame("not_started", ending, "the solution could not be started")
        case Ending(how="lost"):
            return _blame("lost", ending, "the sandbox was lost before the run's outcome arrived")
    return _blame("unreachable", ending, "the sandbox could not be reached")


def _find_verdict(ending: Ending, pass_threshold: float) -> Verdict:
    """The verdict that was given: privately, or else, by a script, in its output.

    Raises:
        VerdictError: There is none, or it is malformed.
    """
    if ending.invalid is not None:
        raise VerdictError(ending.invalid)
    if ending.verdicts:
        return combine_verdicts(
            [parse_verdict(verdict, pass_threshold=pass_threshold) for verdict in ending.verdicts]
        )
    if ending.printed is None:
        raise VerdictError("it ended without returning one")
    verdict = parse_printed(ending.printed, pass_threshold=pass_threshold)
    if verdict is None:
        raise VerdictError('it printed none: print one line of JSON such as {"score": 1.0, "passed": true}')
    return verdict


def _scored(verdict: Verdict, ending: Ending) -> Decision:
    passed = verdict.passed and ending.exit_code != EXIT_FAILED
    return Decision(
        has_verdict=True,
        score=verdict.score,
        passed=passed,
        error_type=verdict.error_type,
        exit_code=EXIT_PASSED if passed else EXIT_FAILED,
        details=verdict.details,
        verdict=verdict,
    )


def _blame(cause: _Cause, ending: Ending, problem: str) -> Decision:
    error_type = _BLAME[cause][ending.solution_in_play]
    judged = error_type.startswith("solution_")
    details = "\n".join(filter(None, [problem, _last_chars(ending.error.strip())]))
    return Decision(
        has_verdict=judged,
        score=0.0,
        passed=False,
        error_type=error_type,
        exit_code=EXIT_FAILED if judged else _shown_exit_code(ending, error_type),
        details=details,
    )


def _shown_exit_code(ending: Ending, error_type: str) -> int | None:
    """The code that says why there is no verdict; never 0 or 1, which would look like one."""
    if error_type == "sandbox_error":
        return None
    if ending.how == "signal" and ending.signal:
        return -ending.signal
    return EXIT_VERIFIER_ERROR if ending.exit_code in {None, EXIT_PASSED, EXIT_FAILED} else ending.exit_code


def _signal_name(number: int | None) -> str:
    try:
        return signal.Signals(number or 0).name
    except ValueError:
        return f"signal {number}"


def _last_chars(text: str) -> str:
    if len(text) <= MAX_ERROR_CHARS:
        return text
    mark = f"[cut, {len(text)} characters] …"
    return mark + text[-(MAX_ERROR_CHARS - len(mark)) :]

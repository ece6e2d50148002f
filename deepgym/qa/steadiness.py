"""Flakiness and time to spare: the reference again and again, with other seeds, under load, and with less time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from deepgym.models import RunResult
from deepgym.qa.runs import CHECK_SEED, Runner, verdict_bytes
from deepgym.qa.subject import Subject

__all__ = ["Steadiness", "measure_steadiness"]

RUNS = 16
# So many at once are a load on any machine that runs two or four answers side by side.
LOAD = 8
# An answer that needs more than this share of a limit fails on a machine that is three times slower.
MARGIN = 3.0


@dataclass(frozen=True, slots=True)
class Steadiness:
    """How steady the reference's verdict is.

    Attributes:
        runs: How often it was run.
        failed: Runs, each under another seed, that it did not pass: the seed and what was said.
        changed: Runs under one seed whose verdict was not the first one's.
        usual_ms: The median time of a run.
        limit_ms: The time that a run may take.
        has_margin: It passes with a third of the time.
        margin_detail: What was said where it does not.
        unjudged: Runs without a verdict.
    """

    runs: int
    failed: tuple[tuple[int, str], ...]
    changed: int
    usual_ms: float
    limit_ms: float
    has_margin: bool
    margin_detail: str
    unjudged: int


def measure_steadiness(runner: Runner, subject: Subject) -> Steadiness:
    """Run the reference under load, with other seeds and with less time."""
    assert subject.reference is not None
    text = subject.reference.text
    first = runner.run(text)
    seeds = [CHECK_SEED if number % 4 == 0 else 1_000 + number for number in range(RUNS)]
    with ThreadPoolExecutor(LOAD) as pool:
        results = list(pool.map(lambda seed: runner.run(text, seed=seed), seeds))
    failed = tuple(
        (seed, result.details[:300])
        for seed, result in zip(seeds, results, strict=True)
        if result.has_verdict and not (result.passed and result.score == 1.0)
    )
    same = [result for seed, result in zip(seeds, results, strict=True) if seed == CHECK_SEED]
    is_deterministic = subject.environment.deterministic
    changed = sum(verdict_bytes(result) != verdict_bytes(first) for result in same if result.has_verdict)
    hurried = _hurried(runner, subject)
    times = sorted(result.execution_time_ms for result in (first, hurried))
    return Steadiness(
        runs=RUNS + 1,
        failed=failed,
        changed=changed if is_deterministic else 0,
        usual_ms=times[0],
        limit_ms=subject.environment.timeout * 1000,
        has_margin=hurried.passed or not hurried.has_verdict,
        margin_detail=hurried.details[:300],
        unjudged=sum(not result.has_verdict for result in results),
    )


def _hurried(runner: Runner, subject: Subject) -> RunResult:
    assert subject.reference is not None
    env = subject.environment
    less = {"timeout": env.timeout / MARGIN, "case_timeout": env.case_timeout / MARGIN}
    seeded = {} if env.seed is not None else {"seed": CHECK_SEED}
    return runner.run(subject.reference.text, env=env.model_copy(update={**less, **seeded}))

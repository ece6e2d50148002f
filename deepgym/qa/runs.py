"""Running answers for `check` and `qa`: one client, seeds that repeat, and results that compare."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import Protocol, TypeVar

from deepgym.models import Environment, RunResult

__all__ = ["CHECK_SEED", "Client", "Runner", "verdict_bytes", "without_verdict"]

CHECK_SEED = 2_026
_SHOWN_CHARS = 1_500
_CHANGING = {"execution_time_ms", "attempts", "sandbox_id"}

In = TypeVar("In")
Out = TypeVar("Out")


class Client(Protocol):
    """What is needed of `DeepGym`."""

    def run(self, env: Environment, model_output: str) -> RunResult:
        """Run one answer."""
        ...


class Runner:
    """Runs answers to one environment under given seeds."""

    def __init__(self, client: Client, env: Environment, executor: Executor | None = None) -> None:
        self._client = client
        self._env = env
        self._executor = executor
        self._by_seed: dict[int, Environment] = {}

    @property
    def env(self) -> Environment:
        """The environment."""
        return self._env

    def run(self, answer: str, *, seed: int = CHECK_SEED, env: Environment | None = None) -> RunResult:
        """Run one answer; an environment with a seed of its own keeps it."""
        return self._client.run(self._seeded(seed) if env is None else env, answer)

    def run_all(self, answers: Iterable[str], *, seed: int = CHECK_SEED) -> list[RunResult]:
        """Run many, several at once."""
        return self.map(lambda answer: self.run(answer, seed=seed), answers)

    def map(self, function: Callable[[In], Out], items: Iterable[In]) -> list[Out]:
        """Apply a function that runs something to each item, several at once."""
        return list(map(function, items) if self._executor is None else self._executor.map(function, items))

    def with_environment(self, env: Environment) -> Runner:
        """The same client for an environment that was changed."""
        return Runner(self._client, env, self._executor)

    def _seeded(self, seed: int) -> Environment:
        if self._env.seed is not None:
            return self._env
        if seed not in self._by_seed:
            self._by_seed[seed] = self._env.model_copy(update={"seed": seed})
        return self._by_seed[seed]


def verdict_bytes(result: RunResult) -> str:
    """All of a result that has to be the same when the same answer is run again."""
    return result.model_dump_json(exclude=_CHANGING)


def without_verdict(result: RunResult) -> tuple[str, str]:
    """The rule and the trace of a run that has no verdict."""
    is_machine = result.error_type == "sandbox_error" or "the grader could not do its work" in result.details
    return ("DG207" if is_machine else "DG208"), trace_of(result)


def trace_of(result: RunResult) -> str:
    """What a result says for itself, in a readable length."""
    lines = [f"score {result.score:g}" if result.has_verdict else f"no verdict: {result.error_type}"]
    lines += [result.details] if result.details else []
    lines += [f"{case.id}: {case.error or 'failed'}" for case in result.cases if not case.passed][:3]
    if not result.has_verdict and result.stderr:
        lines.append(result.stderr)
    text = "\n".join(lines)
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + " ..."

"""Scoring a file of samples against a dataset: which sample belongs to which record, and the figures over them."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from deepgym.answers import extract_code
from deepgym.errors import UsageError
from deepgym.models import BatchResult, Environment, RunResult

if TYPE_CHECKING:
    from deepgym.datasets import TaskRecord

__all__ = ["Evaluation", "Sample", "evaluate", "read_samples", "solution_of"]


class Client(Protocol):
    """What an evaluation needs of `DeepGym`."""

    async def arun(self, env: Environment, model_output: str) -> RunResult:
        """Run one answer."""
        ...


@dataclass(frozen=True, slots=True)
class Sample:
    """One answer to one record.

    Attributes:
        task_id: The record's id.
        text: What the model wrote.
        is_completion: Whether it continues the record's prompt, or is a whole program.
    """

    task_id: str
    text: str
    is_completion: bool


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results of all samples, in their order, and the figures over them.

    Attributes:
        task_ids: The record of each result.
        batch: The results.
        unsampled: How many records have no sample; they are in none of the figures.
    """

    task_ids: tuple[str, ...]
    batch: BatchResult
    unsampled: int

    @property
    def exit_code(self) -> int:
        """0 if every sample passed, 2 if one has no verdict, else 1."""
        if self.batch.no_verdict_count or not self.batch.total:
            return 2
        return 0 if self.batch.passed == self.batch.total else 1

    def figures(self) -> dict[str, Any]:
        """The figures by name, as `--json` prints them."""
        batch = self.batch
        return {
            "samples": batch.total,
            "tasks": len(set(self.task_ids)),
            "tasks_without_sample": self.unsampled,
            "passed": batch.passed,
            "pass_rate": batch.pass_rate,
            "mean_score": batch.mean_score,
            "no_verdict_count": batch.no_verdict_count,
            "judged_pass_rate": batch.judged_pass_rate,
            "judged_mean_score": batch.judged_mean_score,
            "execution_time_ms": batch.execution_time_ms,
        }

    def report(self) -> dict[str, Any]:
        """The figures and every result, as JSON data."""
        rows = [
            {"task_id": task_id, **result.model_dump(mode="json")}
            for task_id, result in zip(self.task_ids, self.batch.results, strict=True)
        ]
        return {**self.figures(), "results": rows}


def read_samples(path: str | os.PathLike[str]) -> list[Sample]:
    """The samples in a file of JSON lines: `task_id` with `completion` or `solution`.

    Raises:
        UsageError: The file cannot be read, or a line is no sample; the message has its number.
    """
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from None
    samples = [
        _parse_sample(line, f"{name}, line {number}") for number, line in enumerate(lines, 1) if line.strip()
    ]
    if not samples:
        raise UsageError(f"{name} holds no samples: write one JSON object a line")
    return samples


def solution_of(record: TaskRecord, sample: Sample, *, raw: bool = False) -> str:
    """The program that a sample stands for: taken out of its prose unless it is raw, and completed."""
    entry_point = record.environment.metadata.get("entry_point")
    if not sample.is_completion:
        return sample.text if raw else extract_code(sample.text, entry_point=entry_point)
    whole = record.complete(sample.text)
    # A body that continues the prompt is Python only together with it.
    if raw or extract_code(whole, entry_point=entry_point) == whole:
        return whole
    return record.complete(extract_code(sample.text, entry_point=entry_point))


def evaluate(
    client: Client,
    records: Sequence[TaskRecord],
    samples: Sequence[Sample],
    *,
    raw: bool = False,
    max_parallel: int | None = None,
    on_result: Callable[[RunResult], None] | None = None,
) -> Evaluation:
    """Run every sample against its record.

    Args:
        client: Where to run.
        records: The dataset.
        samples: The answers.
        raw: Run the samples' text as it is, without looking for code in it.
        max_parallel: How many runs at once; the cores this process may use unless given.
        on_result: Told of every result as it comes, in no order.

    Raises:
        UsageError: A sample names a record that the dataset does not have.
    """
    known = {record.task_id: record for record in records}
    _check_ids(samples, known)
    jobs = (
        (known[sample.task_id].environment, solution_of(known[sample.task_id], sample, raw=raw))
        for sample in samples
    )
    batch = asyncio.run(
        _run_all(client, jobs, max_parallel or _usable_cores(), on_result or (lambda _: None))
    )
    task_ids = tuple(sample.task_id for sample in samples)
    return Evaluation(task_ids, batch, unsampled=len(known.keys() - set(task_ids)))


async def _run_all(
    client: Client,
    jobs: Iterable[tuple[Environment, str]],
    max_parallel: int,
    on_result: Callable[[RunResult], None],
) -> BatchResult:
    loop = asyncio.get_running_loop()
    begun = loop.time()
    results: dict[int, RunResult] = {}
    waiting = enumerate(jobs)

    async def work() -> None:
        # Each worker takes the next job from one iterator, so that no more jobs exist than are under way.
        for number, (env, solution) in waiting:
            results[number] = await client.arun(env, solution)
            on_result(results[number])

    # The first error ends this call, and leaving the loop cancels the other workers.
    await asyncio.gather(*(work() for _ in range(max_parallel)))
    ordered = tuple(results[number] for number in sorted(results))
    return BatchResult(results=ordered, execution_time_ms=(loop.time() - begun) * 1000)


def _parse_sample(line: bytes, where: str) -> Sample:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where} is not JSON: {error}") from None
    if not isinstance(data, dict) or "task_id" not in data:
        raise UsageError(
            f"{where} has no task_id: write a JSON object with task_id and completion or solution"
        )
    given = [name for name in ("completion", "solution") if name in data]
    if len(given) != 1 or not isinstance(data[given[0]], str):
        raise UsageError(f"{where} must have a completion or a solution, one of them, as text")
    return Sample(str(data["task_id"]), data[given[0]], is_completion=given == ["completion"])


def _check_ids(samples: Sequence[Sample], known: Mapping[str, TaskRecord]) -> None:
    for sample in samples:
        if sample.task_id not in known:
            some = ", ".join(list(known)[:3])
            raise UsageError(
                f"no record of the dataset has the task_id {sample.task_id!r}: it has {some} ..."
            )


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1

"""Many environments: examined side by side, reported in order, and taken up again where a run was broken off."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from deepgym.client import DeepGym
from deepgym.errors import EnvironmentFileError
from deepgym.qa.finding import Finding
from deepgym.qa.quality import examine, require_mutants
from deepgym.qa.report import Options, QaReport
from deepgym.qa.state import State, subject_key
from deepgym.qa.subject import Target

__all__ = ["survey"]

# Environments at once: while one waits for its last run, another has work to do.
_MAX_ENVIRONMENTS = 4


def survey(
    targets: Sequence[Target],
    options: Options,
    state: State,
    *,
    mode: str = "local",
    jobs: int | None = None,
    on_step: Callable[[str], None] | None = None,
) -> Iterator[QaReport]:
    """Examine environments.

    Args:
        targets: The environments.
        options: How much to do, and what is enough.
        state: What is done already, and where new reports are kept.
        mode: Where runs happen.
        jobs: Runs at once; the cores that this process may use unless given.
        on_step: Told what is under way.

    Yields:
        One report a target, in order.

    Raises:
        UsageError: libcst is not installed, or the state cannot be written.
        BackendUnavailableError: What the backend needs is missing.
    """
    if "mutants" in options.parts:
        require_mutants()
    workers = jobs or max(
        1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    side_by_side = min(len(targets), workers, _MAX_ENVIRONMENTS) or 1
    with (
        DeepGym(mode=mode) as client,
        ThreadPoolExecutor(workers) as runs,
        ThreadPoolExecutor(side_by_side) as pool,
    ):

        def one(target: Target) -> QaReport:
            try:
                subject = target.load()
            except EnvironmentFileError as error:
                return QaReport(target.name, [Finding("DG001", str(error), error.file)], style="unknown")
            key = subject_key(subject, options)
            known = state.find(key)
            if known is not None:
                return known

            def step(name: str) -> None:
                if on_step is not None:
                    on_step(f"{subject.name}: {name}")

            report = examine(client, subject, options, executor=runs, on_step=step)
            state.keep(key, report)
            return report

        yield from pool.map(one, targets)

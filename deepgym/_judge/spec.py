"""The fourth shape: a verifyit spec in place of a verifier's code.

The answer's text becomes the spec's output file, the spec and its support files the tests folder, and the grader's
verdict the run's: `scored` is a verdict; `invalid_task` and `infra_error` are none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from deepgym._judge.job import Job, Report
from deepgym_solution._scripts import run_program
from deepgym_solution.errors import SolutionError, SolutionTimeoutError

if TYPE_CHECKING:
    from verifyit.execution.command import Completed

# A detail is for reading; the verdict's own limits cut it further.
_MAX_DETAIL_CHARS = 16_384


def run_spec(job: Job, folder: str) -> Report:
    """Grade the job's answer by its spec.

    Args:
        job: The job; its verifier is the text of a `verifier.toml`.
        folder: The judge's folder, in which tests and workspace are made.
    """
    from verifyit.execution.command import set_candidate_runner  # noqa: PLC0415
    from verifyit.grade import local_output_path, run  # noqa: PLC0415 - only this shape needs it
    from verifyit.spec import parse_spec  # noqa: PLC0415

    tests, workspace = _task_folder("tests", folder), _task_folder("app", folder)
    _write(tests / "verifier.toml", job.verifier)
    for name, content in job.support_files.items():
        _write(tests / name, content)
    try:
        parsed = parse_spec(job.verifier.decode("utf-8"))
        output = getattr(parsed, "output", f"/app/{job.answer_file}")
        target = local_output_path(output, workspace)
        if workspace not in Path(os.path.normpath(target)).parents:
            raise ValueError(f"output={output!r} lies outside the workspace: use a path below /app")  # noqa: TRY301 - one place words what is wrong with a spec
        _write(target, job.solution)
    except (ValueError, KeyError) as exc:
        return Report("returned", invalid=f"cannot read the verifier spec: {exc}")
    set_candidate_runner(_run_sealed)
    return _report(run(tests / "verifier.toml", workspace))


def _run_sealed(argv: Sequence[str], cwd: Path, timeout: float, stdin_text: str | None) -> Completed:
    """A candidate's program, in a sealed box of its own: the cases and their answers stay on this side."""
    from verifyit.execution.command import Completed  # noqa: PLC0415

    try:
        done = run_program(argv, cwd=cwd, stdin=stdin_text or "", timeout=timeout)
    except SolutionTimeoutError as exc:
        return Completed(-9, "", str(exc), timed_out=True)
    except SolutionError as exc:
        return Completed(-9, "", str(exc), timed_out=False)
    return Completed(done.returncode, done.stdout, done.stderr, timed_out=False, truncated=done.truncated)


def _task_folder(name: str, folder: str) -> Path:
    """/tests or /app, which lead into the judge's private /tmp; outside a box, folders of that name in the judge's."""
    path = f"/{name}"
    if not os.path.islink(path):
        path = os.path.join(folder, name)
    os.makedirs(os.path.join("/", os.readlink(path)) if os.path.islink(path) else path, 0o700, exist_ok=True)
    return Path(path)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(0o700, parents=True, exist_ok=True)
    path.write_bytes(content)


def _report(reward: object) -> Report:
    from verifyit.reward import Reward, Status  # noqa: PLC0415

    assert isinstance(reward, Reward)
    detail = json.dumps(reward.detail, ensure_ascii=True)[:_MAX_DETAIL_CHARS]
    if reward.status is Status.SCORED:
        verdict = {"score": float(reward.reward), "details": detail, "metrics": {"verifyit": reward.detail}}
        return Report("returned", verdicts=(json.dumps(verdict),))
    if reward.status is Status.INVALID_TASK:
        return Report("returned", invalid=f"the task is unusable: {detail}")
    return Report("raised", error=f"the grader could not do its work: {detail}")

"""What a judge is given, and what it leaves: `Job` in, `Outcome` out, both frozen, plain and encoded by the wire codec.

This file travels into sandboxes: standard library and `deepgym_solution` only.
"""

from __future__ import annotations

import marshal
import struct
from dataclasses import dataclass, field, fields
from importlib.util import MAGIC_NUMBER
from typing import Any

from deepgym._judge.shape import Program, compile_verifier
from deepgym_solution._child import wire
from deepgym_solution._isolation.policy import Policy, parse_policy


@dataclass(frozen=True, slots=True)
class Job:
    """One verifier and one solution, with all that decides the verdict.

    Attributes:
        verifier: The verifier's source.
        filename: The name that its tracebacks show.
        shape: "script", "verify_function", "body" or "spec".
        solution: The solution's source, as UTF-8.
        support_files: Files beside the verifier, by relative name.
        test_cases: JSON text for the file at `test_cases_path`, or None.
        env_vars: Variables that the verifier finds in its environment.
        timeout_s: Seconds the whole run may take.
        case_timeout_s: Seconds one call may take.
        seed: What `random` starts from, on both sides.
        case_seed: What `run_seed()` gives the verifier.
        policy: Limits of the solution.
        judge_policy: Limits of the judge.
        answer_file: For a spec that runs programs: the name of the answer's file in the workspace.
        min_isolation: The least wall that the environment asks for; a backend that can choose looks at it.
        image: The container image to run in, where the backend has images.
        code: The verifier compiled for one version of Python, as `compiled_code` made it; empty: to be compiled. A
            judge of another version compiles the source.
    """

    verifier: bytes
    filename: str
    shape: str
    solution: bytes
    support_files: dict[str, bytes] = field(default_factory=dict)
    test_cases: str | None = None
    env_vars: dict[str, str] = field(default_factory=dict)
    timeout_s: float = 30.0
    case_timeout_s: float = 10.0
    seed: int = 0
    case_seed: int = 0
    policy: Policy = field(default_factory=Policy)
    judge_policy: Policy = field(default_factory=Policy)
    answer_file: str = "solution.py"
    min_isolation: str | None = None
    image: str | None = None
    code: bytes = b""


_POLICIES = ("policy", "judge_policy")


def compiled_code(program: Program) -> bytes:
    """A verifier's code for judges of this version of Python."""
    return MAGIC_NUMBER + marshal.dumps(program.code)


def program_of(job: Job) -> Program:
    """The job's verifier, compiled here unless it came compiled for this version of Python.

    Raises:
        SyntaxError: The source cannot be compiled.
    """
    if job.code.startswith(MAGIC_NUMBER):
        # The client made it, as it made the source: the same hands, so the same trust.
        return Program(job.shape, marshal.loads(memoryview(job.code)[len(MAGIC_NUMBER) :]), job.filename)  # type: ignore[arg-type]  # noqa: S302
    return compile_verifier(job.verifier, mode=job.shape, filename=job.filename)


# How long the part before the answer is.
_HEAD = struct.Struct("<Q")


def encode_job(job: Job) -> bytes:
    """The job as bytes: all but the answer as one value of the codec, then the answer, which may be of any size.

    Raises:
        wire.EncodeError: The rest is too large for one value.
    """
    values: dict[str, Any] = {item.name: getattr(job, item.name) for item in fields(job)}
    for name in _POLICIES:
        values[name] = values[name].as_tuple()
    solution = values.pop("solution")
    head = wire.encode_value(values)
    return b"".join((_HEAD.pack(len(head)), head, solution))


def decode_job(data: bytes) -> Job:
    """The job that `encode_job` wrote.

    Raises:
        wire.WireError: The bytes are no value.
        ValueError: The value is no job.
    """
    if len(data) < _HEAD.size:
        raise ValueError("a job begins with a length")
    end = _HEAD.size + _HEAD.unpack_from(data)[0]
    values = wire.decode_value(data[_HEAD.size : end])
    if type(values) is not dict:
        raise ValueError("a job is a dict")
    for name in _POLICIES:
        values[name] = parse_policy(values.get(name))
    try:
        return Job(solution=data[end:], **values)
    except TypeError as exc:
        raise ValueError(f"a job has other fields: {exc}") from None


@dataclass(frozen=True, slots=True)
class Report:
    """What the judge itself says of how the verifier ended; absent when it was killed.

    Attributes:
        how: "returned", "exited", "raised" or "launch_error".
        exit_code: The verifier's own, when it exited.
        verdicts: Normal forms of what it returned or reported, as JSON text.
        invalid: Why what it returned is no verdict.
        error: A traceback, or what the machine said.
        solution_error: "solution_error" or "solution_timeout" when that is what it let through.
        solution_output: What solutions printed, cut.
    """

    how: str
    exit_code: int | None = None
    verdicts: tuple[str, ...] = ()
    invalid: str | None = None
    error: str = ""
    solution_error: str | None = None
    solution_output: bytes = b""


def encode_report(report: Report) -> bytes:
    """The report as bytes."""
    return wire.encode_value({item.name: getattr(report, item.name) for item in fields(report)})


def decode_report(data: bytes) -> Report | None:
    """The report that `encode_report` wrote; None when the judge was killed before it had written all of it."""
    try:
        values = wire.decode_value(data)
        return Report(**values) if type(values) is dict else None
    except (wire.WireError, TypeError):
        return None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one run ended, as trusted code outside the judge saw it.

    Attributes:
        ending: "ended" by itself, at the "timeout", for its "memory", or "lost" with its box.
        status: Exit status of the judge; negative: the signal that killed it.
        begun: Solution code had begun to run.
        report: What the judge said, if it came to that.
        stdout: What the verifier printed, cut to the limit.
        stderr: Its errors, cut to the limit.
        stdout_bytes: How much it printed in all.
        stderr_bytes: How much it wrote to stderr in all.
        elapsed_s: Wall-clock time of the run.
        detail: What the machine said, when it failed.
        contended_s: Time of it that was given back because the machine was oversubscribed.
        sandbox_id: The provider's name for the box that the run was in.
        doubtful: A limit was reached while the machine was oversubscribed, and might not be on a free one.
    """

    ending: str
    status: int = 0
    begun: bool = False
    report: Report | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    elapsed_s: float = 0.0
    detail: str = ""
    contended_s: float = 0.0
    doubtful: bool = False
    sandbox_id: str | None = None

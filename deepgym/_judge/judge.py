"""The judge: one process that runs one verifier on one solution, and says how that ended.

It is trusted with the answer key and confined all the same. Whoever started it hears three things while it runs, over
the events pipe, each with a semicolon after it: that solution code has begun (`B`), how many seconds solutions lost to
others and how many they ran since the last such news (`T` and two numbers), and that a case was called a time-out that
might not be one on a free machine (`D`). Everything else it leaves in the report file, written in one piece at the end.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import socket
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn

from deepgym._judge.job import Job, Report, decode_job, encode_report, program_of
from deepgym._judge.shape import run_verifier
from deepgym._judge.spec import run_spec
from deepgym._judge.verdict import VerdictError, read_verdict
from deepgym_solution import _runtime
from deepgym_solution._isolation.view import package_folder
from deepgym_solution._launch import Control
from deepgym_solution._procfs import end_family
from deepgym_solution.errors import LaunchError, SolutionError, SolutionTimeoutError

# The judge's own folder, in its private /tmp: the verifier's working directory.
FOLDER = "/tmp/judge"

MAX_ERROR_CHARS = 16_384
_SHOWN_OUTPUT_BYTES = 32 * 1024
# Tracebacks begin at the verifier; these files are ours.
_OWN_FILES = (os.path.dirname(os.path.abspath(__file__)),)


def run_judge(
    job_fd: int, report_fd: int, events_fd: int, control_fd: int, *, folder: str, ends_family: bool = False
) -> NoReturn:
    """Judge the job in a memory file, leave the report in another, and end the process.

    Args:
        job_fd: The job.
        report_fd: Where the report goes.
        events_fd: Where the events go.
        control_fd: The socket to the solution host.
        folder: Where the verifier's files go.
        ends_family: End what the verifier has started, where no namespace does.
    """
    job = decode_job(os.pread(job_fd, os.fstat(job_fd).st_size, 0))
    os.close(job_fd)
    events = _Events(events_fd)
    control = Control(
        socket.socket(fileno=control_fd),
        on_begun=events.begun,
        on_times=events.times,
        on_doubt=events.doubt,
    )
    report = judge_job(job, lambda: control, folder)
    data = memoryview(encode_report(report))
    while data:
        data = data[os.write(report_fd, data) :]
    if ends_family:
        end_family(os.getpid())
    os._exit(report.exit_code if report.exit_code in (0, 1) else 0)


class _Events:
    """Small messages to whoever started the judge; each is written at once and whole."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def begun(self) -> None:
        os.write(self._fd, b"B;")

    def times(self, given_back_s: float, ran_s: float) -> None:
        os.write(self._fd, f"T{given_back_s:.6f},{ran_s:.6f};".encode())

    def doubt(self) -> None:
        os.write(self._fd, b"D;")


def judge_job(job: Job, control: Callable[[], Control], folder: str) -> Report:
    """Run the job's verifier in this process.

    Args:
        job: What to judge.
        control: Gives the socket to the solution host.
        folder: Where the verifier's files go; made here.
    """
    reported: list[object] = []
    run = _runtime.Run(
        control=control,
        policy=job.policy,
        case_timeout_s=job.case_timeout_s,
        seed=job.seed,
        case_seed=job.case_seed,
        report=reported.append,
        folder=folder,
    )
    _runtime.begin(run)
    if job.shape == "spec":
        os.makedirs(folder, 0o700)
        os.chdir(folder)
        _set_up_process(job)
        report = run_spec(job, folder)
    else:
        solution_path, cases_path = _write_folder(job, folder)
        _set_up_process(job)
        report = _run(job, solution_path, cases_path, reported)
    output = run.printed.shown(_SHOWN_OUTPUT_BYTES)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
    return Report(
        report.how,
        report.exit_code,
        report.verdicts,
        report.invalid,
        report.error,
        report.solution_error,
        output,
    )


def _write_folder(job: Job, folder: str) -> tuple[str, str | None]:
    os.makedirs(folder, 0o700)
    for name, content in job.support_files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        _write(path, content)
    _write(os.path.join(folder, job.filename), job.verifier)
    solution_path = _free_name(folder, "solution.py")
    _write(solution_path, job.solution)
    cases_path = None
    if job.test_cases is not None:
        cases_path = _free_name(folder, "test_cases.json")
        _write(cases_path, job.test_cases.encode("utf-8", "surrogatepass"))
    os.chdir(folder)
    return solution_path, cases_path


def _free_name(folder: str, name: str) -> str:
    """A path that no support file has taken."""
    path = os.path.join(folder, name)
    return path if not os.path.exists(path) else os.path.join(folder, f"_{name}")


def _write(path: str, content: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    view = memoryview(content)
    while view:
        view = view[os.write(fd, view) :]
    os.close(fd)


def _set_up_process(job: Job) -> None:
    os.environ.update(job.env_vars)
    os.environ["DEEPGYM_SEED"] = str(job.case_seed)
    sys.path.insert(0, os.getcwd())
    sys.stdout = io.TextIOWrapper(open(1, "wb", closefd=False), encoding="utf-8", errors="backslashreplace")
    sys.stderr = io.TextIOWrapper(
        open(2, "wb", closefd=False), encoding="utf-8", errors="backslashreplace", line_buffering=True
    )
    for name in ("stdout", "stderr"):
        setattr(sys, f"__{name}__", getattr(sys, name))
    random.seed(_verifiers_own_seed(job))


def _verifiers_own_seed(job: Job) -> bytes:
    """What the verifier's `random` starts from: the same each time, and not what the solution's starts from."""
    return hashlib.blake2b(b"%d " % job.seed + job.verifier, digest_size=16).digest()


def _run(job: Job, solution_path: str, cases_path: str | None, reported: list[object]) -> Report:
    try:
        value = run_verifier(program_of(job), solution_path, cases_path)
    except SystemExit as exc:
        return _exited(exc, reported)
    except LaunchError as exc:
        return Report("launch_error", error=f"{exc}"[:MAX_ERROR_CHARS])
    except SolutionTimeoutError as exc:
        return Report("raised", error=_explain(exc), solution_error="solution_timeout")
    except SolutionError as exc:
        return Report("raised", error=_explain(exc), solution_error="solution_error")
    except BaseException as exc:  # noqa: BLE001 - whatever a verifier raises ends the run and is shown
        return Report("raised", error=_explain(exc))
    if job.shape == "script":
        return _with_verdicts("exited", reported, exit_code=0)
    # A verify that reports and then falls off its end has said all that it has to say.
    return _with_verdicts("returned", reported if reported and value is None else [*reported, value])


def _exited(exc: SystemExit, reported: list[object]) -> Report:
    if exc.code is None or isinstance(exc.code, int):
        return _with_verdicts("exited", reported, exit_code=(exc.code or 0) & 0xFF)
    sys.stderr.write(f"{exc.code}\n")
    return _with_verdicts("exited", reported, exit_code=1)


def _with_verdicts(how: str, values: list[object], exit_code: int | None = None) -> Report:
    try:
        verdicts = tuple(json.dumps(read_verdict(value)) for value in values)
    except (VerdictError, SolutionError) as exc:
        return Report(how, exit_code, invalid=str(exc)[:MAX_ERROR_CHARS])
    except Exception as exc:  # noqa: BLE001 - a returned object's own methods may raise anything
        return Report(
            how, exit_code, invalid=f"reading the verdict raised {type(exc).__name__}: {exc}"[:1000]
        )
    return Report(how, exit_code, verdicts)


def _explain(exc: BaseException) -> str:
    """The traceback from the verifier's first line on, and the solution's own where there is one."""
    trace = exc.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_OWN_FILES):
        trace = trace.tb_next
    try:
        text = "".join(traceback.format_exception(type(exc), exc, trace))
    except Exception:  # noqa: BLE001 - an exception of the verifier that cannot be printed
        text = type(exc).__name__
    # Wherever our packages lie: a result says the same on every backend.
    text = text.replace(f'File "{package_folder()}/', 'File "')
    inner = getattr(exc, "solution_traceback", "")
    if inner:
        text += f"\nIn the solution:\n{inner}"
    return text if len(text) <= MAX_ERROR_CHARS else "[cut] ..." + text[-MAX_ERROR_CHARS:]

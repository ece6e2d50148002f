"""Makes the attempts: in the sandbox through ordinary runs, and outside it as controls.

What can be tried side by side shares a run: its verifier starts a fresh solution for each attempt, so that each is
alone in its sandbox. Attempts with limits of their own, on the verdict, and by a verifier have a run each.
"""

from __future__ import annotations

import importlib.resources
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from deepgym.client import DeepGym
from deepgym.doctor.bait import JUDGE_FILE, Bait
from deepgym.doctor.observation import Observation
from deepgym.doctor.violation import Violation
from deepgym.models import Environment, RunResult

__all__ = ["Trial", "try_bare", "try_walled"]

# Enough for a slow machine's pre-started boxes; a larger share of a run would be lost with it.
_PER_RUN = 10
_RUN_TIMEOUT_S = 60.0
_CASE_TIMEOUT_S = 8.0
# For attempts on the verdict, one of which never answers.
_ANSWER_TIMEOUT_S = 1.0
_BARE_TIMEOUT_S = 120.0

# Added to a module of attempts, which is then an answer. Its word is the doctor's own: it need not be distrusted.
_ANSWER = """

def attempt(function, bait, arguments):
    try:
        got = globals()[function](bait, *arguments)
    except (OSError, MemoryError) as exc:
        return ["refused", getattr(exc, "strerror", None) or str(exc) or type(exc).__name__]
    return ["nothing", ""] if got is None else ["reached", str(got)[:1000]]
"""

_VERIFIER = """
import json
from deepgym_solution import SolutionError, SolutionTimeoutError, load_solution

ATTEMPTS = json.loads({attempts!r})

def one(path, function, bait, arguments):
    try:
        with load_solution(path) as solution:
            return solution.attempt(function, bait, arguments)
    except SolutionTimeoutError as exc:
        return ["late", str(exc)]
    except SolutionError as exc:
        return ["broken" if exc.solution_traceback else "ended", f"{{type(exc).__name__}}: {{exc}}"]

def verify(solution_path):
    seen = {{}}
    for name, function, bait, arguments, repeat in ATTEMPTS:
        for _ in range(repeat):
            seen[name] = one(solution_path, function, bait, arguments)
    return {{"score": 0.0, "metrics": seen}}
"""

_JUDGE = """
import json as _json

def verify(solution_path):
    name, function, bait, arguments = _json.loads({attempt!r})
    try:
        seen = attempt(function, bait, arguments)
    except Exception as exc:
        seen = ["broken", f"{{type(exc).__name__}}: {{exc}}"]
    return {{"score": 0.0, "metrics": {{name: seen}}}}
"""

_QUESTION = """
import random
from deepgym_solution import load_solution

def verify(solution_path):
    solution = load_solution(solution_path)
    number = random.randrange(10**6, 10**9)
    return 1.0 if solution.answer(number) == number * number + 1 else 0.0
"""


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of the attempts in the sandbox.

    Attributes:
        seen: By the violation's name.
        isolation: The grade that the runs' results name; None when no run came to a result.
        detail: How that wall was built.
        problem: What went wrong with runs, if something did.
    """

    seen: dict[str, Observation]
    isolation: str | None
    detail: str
    problem: str | None


@dataclass(frozen=True, slots=True)
class _Run:
    violations: tuple[Violation, ...]
    env: Environment
    answer: str


def try_walled(client: DeepGym, violations: Sequence[Violation], bait: Bait) -> Trial:
    """Make every attempt in the sandbox.

    Args:
        client: Runs them.
        violations: What to attempt.
        bait: What they attack.
    """
    runs = list(_runs(violations, bait))
    seen: dict[str, Observation] = {}
    isolation, detail, problem = None, "", None
    for index, result in client.stream(
        [run.env for run in runs], [run.answer for run in runs], progress=False
    ):
        run = runs[index]
        isolation, detail = result.isolation or isolation, result.isolation_detail or detail
        if not result.has_verdict:
            problem = f"{result.error_type}: {result.details}".strip()
        for violation in run.violations:
            seen[violation.name] = _seen_in(violation, result)
    for violation in violations:
        trace = bait.traces_of(violation)
        if trace is not None:
            seen[violation.name] = replace(seen[violation.name], trace=trace)
    return Trial(seen, isolation, detail, problem)


def try_bare(violations: Iterable[Violation], bait: Bait) -> dict[str, Observation]:
    """Make every attempt outside the sandbox, as controls; those on the verdict have none there.

    Args:
        violations: What to attempt.
        bait: What they attack; not the one of the sandboxed attempts.
    """
    rows = [row for row in violations if row.evidence != "score"]
    request = {
        "modules": {name: _source(name) for name in {row.module for row in rows}},
        "attempts": [
            [row.name, row.module, row.function, bait.of(row), row.arguments, row.repeat] for row in rows
        ],
    }
    script = Path(__file__).with_name("_bare.py")
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-B", str(script)],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=_BARE_TIMEOUT_S,
            check=False,
            pass_fds=[bait.inherited],
            env=os.environ | bait.environment,
            cwd=bait.folder,
            start_new_session=True,
        )
        said = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as exc:
        return {row.name: Observation("unjudged", f"the control failed: {exc}") for row in rows}
    return {
        row.name: Observation(state, text, bait.traces_of(row))
        for row in rows
        for state, text in (said[row.name],)
    }


def _runs(violations: Sequence[Violation], bait: Bait) -> Iterator[_Run]:
    together: dict[tuple[str, str], list[Violation]] = {}
    for row in violations:
        if row.evidence == "score":
            yield _question(row, bait)
        elif row.by == "judge":
            yield _judge_run(row, bait)
        else:
            together.setdefault((row.module, json.dumps(row.limits, sort_keys=True)), []).append(row)
    for rows in together.values():
        for begin in range(0, len(rows), _PER_RUN):
            yield _shared_run(rows[begin : begin + _PER_RUN], bait)


def _shared_run(rows: Sequence[Violation], bait: Bait) -> _Run:
    attempts = [[row.name, row.function, bait.of(row), row.arguments, row.repeat] for row in rows]
    options: dict[str, Any] = {"timeout": _RUN_TIMEOUT_S, "case_timeout": _CASE_TIMEOUT_S, **rows[0].limits}
    env = Environment(
        task="Try what is forbidden.",
        verifier_code=_VERIFIER.format(attempts=json.dumps(attempts)),
        support_files={JUDGE_FILE: bait.judge_secret},
        deterministic=False,
        **options,
    )
    return _Run(tuple(rows), env, _source(rows[0].module) + _ANSWER)


def _judge_run(row: Violation, bait: Bait) -> _Run:
    attempt = json.dumps([row.name, row.function, bait.of(row), row.arguments])
    code = _source(row.module) + _ANSWER + _JUDGE.format(attempt=attempt)
    env = Environment(
        task="Any.",
        verifier_code=code,
        verifier_mode="verify_function",
        timeout=_RUN_TIMEOUT_S,
        deterministic=False,
    )
    return _Run((row,), env, "")


def _question(row: Violation, bait: Bait) -> _Run:
    bound = json.dumps({"frames": bait.of(row)["frames"]})
    answer = f"\n\ndef answer(number):\n    return {row.function}({bound}, number)\n"
    env = Environment(
        task="Square the number and add 1.",
        verifier_code=_QUESTION,
        case_timeout=_ANSWER_TIMEOUT_S,
        deterministic=False,
    )
    return _Run((row,), env, _source(row.module) + answer)


def _seen_in(violation: Violation, result: RunResult) -> Observation:
    said = f"{result.error_type or ''}: {result.details}".strip(": ")
    if violation.evidence == "score":
        if not result.has_verdict:
            # Nothing of the answer ran: the machine's doing, not the attempt's.
            if result.error_type == "sandbox_error":
                return Observation("unjudged", said)
            return Observation("no_verdict", said)
        return Observation("scored" if result.score > 0 else "judged_zero", said)
    given = result.metrics.get(violation.name)
    if not isinstance(given, list) or len(given) != 2:
        return Observation("unjudged", said)
    state, text = given
    return Observation(state, str(text))


def _source(module: str) -> str:
    return (
        importlib.resources.files("deepgym.doctor.attempts")
        .joinpath(f"{module}.py")
        .read_text(encoding="utf-8")
    )

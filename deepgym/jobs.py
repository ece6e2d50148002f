"""From an environment and an answer to a `Job`, and from an `Outcome` to a `RunResult`; the same for every backend.

Pure but for reading the verifier's file. What does not change between the answers to one environment is worked out
once and kept.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections import OrderedDict
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from deepgym._judge.job import Job, Outcome, Report, compiled_code, encode_job
from deepgym._judge.shape import compile_verifier
from deepgym.blame import Decision, Ending, decide
from deepgym.errors import UsageError
from deepgym.models import Environment, RunResult
from deepgym.shapes import ResolvedShape, resolve_shape
from deepgym_solution._child import wire
from deepgym_solution._isolation.policy import MIB, Policy

__all__ = ["JobMaker", "Prepared", "RunContext", "make_result"]

# What a verifier may use. It is trusted with the key but may come from a stranger, so it has bounds too.
JUDGE_POLICY = Policy(
    memory_bytes=8192 * MIB,
    cpu_s=3600,
    processes=512,
    open_files=4096,
    file_bytes=1024 * MIB,
    tmp_bytes=1024 * MIB,
    tmp_inodes=100_000,
    output_bytes=64 * MIB,
    allow_subprocess=True,
)

# stdout and stderr of a result are for reading; a flood is cut here and marked.
MAX_SHOWN_BYTES = 64 * 1024

# A printed verdict is looked for in this much of a script's output. A verifier may echo an answer's whole output
# before it; all of it is read, because a verdict among the echo counts too.
MAX_PRINTED_BYTES = 64 * 1024 * 1024

# What stands for an output that was cut: read as a verdict, it is refused with a reason.
_FLOODED = '{"score": "[cut: the verifier printed more than 64 MiB]"}'

# CPU seconds that a solution may use, as a multiple of the time its run may take: it may have several threads.
_CPU_FACTOR = 4

# UTF-8 cannot hold one. An answer that has some arrives readable all the same: a verifier that reads the file itself
# must not fail over it, which would leave the answer without a verdict by its own doing.
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

_KEPT_ENVIRONMENTS = 256

# The compiled verifier follows from its source; the answer and the seed of its cases are not the environment's.
_NOT_IN_DIGEST = frozenset({"solution", "case_seed", "code"})


@dataclass(frozen=True, slots=True)
class RunContext:
    """Where and how a run happened, for its result."""

    backend: str
    isolation: Any = None
    isolation_detail: str = ""
    sandbox_id: str | None = None


class JobMaker:
    """Makes the jobs of one client, and keeps what is the same for every answer to an environment."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, Prepared] = OrderedDict()

    def make(self, env: Environment, model_output: str, *, case_seed: int) -> Job:
        """The job of one answer; see `prepare` and `Prepared.job`."""
        return self.prepare(env).job(model_output, case_seed=case_seed)

    def prepare(self, env: Environment) -> Prepared:
        """What every answer to an environment has in common. A verifier in a file is read anew each time.

        Raises:
            TypeError: env is no Environment.
            UsageError: The verifier cannot be read or is none.
            VerifierSyntaxError: It cannot be parsed.
        """
        if not isinstance(env, Environment):
            raise TypeError(
                f"env must be an Environment, not {type(env).__name__}: load_environment(name) gives one"
            )
        kept = self._kept.get(id(env))
        if kept is not None and kept.env is env and env.verifier_path is None:
            return kept
        prepared = Prepared(env, _make_template(env))
        self._kept[id(env)] = prepared
        while len(self._kept) > _KEPT_ENVIRONMENTS:
            self._kept.popitem(last=False)
        return prepared


class Prepared:
    """An environment, read and compiled.

    Attributes:
        env: The environment.
        template: The job of an empty answer.
    """

    def __init__(self, env: Environment, template: Job) -> None:
        self.env = env
        self.template = template

    def job(self, model_output: str, *, case_seed: int) -> Job:
        """The job of one answer.

        Args:
            model_output: The answer; any text.
            case_seed: The seed for generated cases, unless the environment has its own.

        Raises:
            TypeError: model_output is no str.
        """
        if not isinstance(model_output, str):
            raise TypeError(f"model_output must be a str, not {type(model_output).__name__}")
        return replace(
            self.template,
            solution=_LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", model_output).encode(),
            case_seed=self.template.case_seed if self.env.seed is not None else case_seed,
        )

    @cached_property
    def digest(self) -> bytes:
        """A hash of everything that decides a verdict besides the answer, the seed for cases and the machine."""
        env = self.env
        decides = {
            item.name: getattr(self.template, item.name)
            for item in fields(Job)
            if item.name not in _NOT_IN_DIGEST
        }
        decides["support_files"] = sorted(self.template.support_files.items())
        decides["env_vars"] = sorted(self.template.env_vars.items())
        decides["client"] = (env.pass_threshold, env.min_isolation, env.image, env.deterministic, env.seed)
        # Names, sizes and types are part of a repr, so no two different environments have one text.
        return hashlib.blake2b(repr(sorted(decides.items())).encode("utf-8", "surrogatepass")).digest()

    @cached_property
    def mentions_case_seed(self) -> bool:
        """Whether the verifier, or a file beside it, can be seen to use the seed for generated cases."""
        texts = (self.template.verifier, *self.template.support_files.values())
        return any(word in text for text in texts for word in (b"run_seed", b"DEEPGYM_SEED"))


def _make_template(env: Environment) -> Job:
    source = env.read_verifier()
    shape: ResolvedShape = resolve_shape(source, mode=env.verifier_mode, filename=env.verifier_filename)
    files = {
        name: content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        for name, content in env.support_files.items()
    }
    filename = os.path.basename(env.verifier_filename)
    if filename in files:
        raise UsageError(f"support file {filename!r} has the verifier's own name: rename it")
    program = compile_verifier(source, mode=shape, filename=filename) if shape != "spec" else None
    job = Job(
        verifier=source if isinstance(source, bytes) else source.encode("utf-8"),
        code=b"" if program is None else compiled_code(program),
        filename=filename,
        shape=shape,
        solution=b"",
        support_files=files,
        test_cases=None if env.test_cases is None else json.dumps(env.test_cases),
        env_vars=dict(env.env_vars),
        timeout_s=env.timeout,
        case_timeout_s=env.case_timeout,
        seed=env.seed or 0,
        case_seed=env.seed or 0,
        answer_file=_answer_file(env),
        policy=_policy(env),
        judge_policy=_judge_policy(env),
        min_isolation=env.min_isolation,
        image=env.image,
    )
    try:
        encode_job(job)
    except wire.EncodeError as exc:
        raise UsageError(
            f"the verifier, support files and test cases are too much for one run: {exc}; "
            "larger data can be made by the verifier itself"
        ) from None
    return job


def _judge_policy(env: Environment) -> Policy:
    """The judge's limits: room for all that its solution may write, and that the judge may copy."""
    return replace(
        JUDGE_POLICY,
        file_bytes=max(JUDGE_POLICY.file_bytes, env.file_size_mb * MIB),
        tmp_bytes=JUDGE_POLICY.tmp_bytes + 2 * env.tmp_mb * MIB,
    )


def _answer_file(env: Environment) -> str:
    """What `metadata["answer_file"]` says, a plain file name."""
    name = env.metadata.get("answer_file", "solution.py")
    if not isinstance(name, str) or name in ("", ".", "..") or "/" in name or "\0" in name:
        raise UsageError(f"metadata['answer_file'] is {name!r}: use a plain file name such as 'main.py'")
    return name


def _policy(env: Environment) -> Policy:
    cpu_s = env.cpu_time_s if env.cpu_time_s is not None else env.timeout * _CPU_FACTOR
    return Policy(
        memory_bytes=env.memory_mb * MIB,
        cpu_s=max(1, math.ceil(cpu_s)),
        processes=env.processes,
        open_files=env.open_files,
        file_bytes=env.file_size_mb * MIB,
        tmp_bytes=env.tmp_mb * MIB,
        output_bytes=env.output_mb * MIB,
    )


def make_result(
    env: Environment, job: Job, outcome: Outcome, context: RunContext, *, attempts: int = 1
) -> RunResult:
    """The result of a run that ended so."""
    decision = decide(_ending(job, outcome), pass_threshold=env.pass_threshold)
    verdict = decision.verdict
    said = {} if verdict is None else _said(verdict)
    return RunResult(
        score=decision.score,
        passed=decision.passed,
        has_verdict=decision.has_verdict,
        error_type=decision.error_type,
        exit_code=decision.exit_code,
        details=_details(decision, outcome),
        stdout=_shown(outcome.stdout, outcome.stdout_bytes),
        stderr=_stderr(outcome),
        execution_time_ms=outcome.elapsed_s * 1000,
        isolation=context.isolation,
        isolation_detail=context.isolation_detail,
        backend=context.backend,
        sandbox_id=outcome.sandbox_id or context.sandbox_id,
        attempts=attempts,
        **{"seed": env.seed, **said},
    )


def _said(verdict: Any) -> dict[str, Any]:
    said: dict[str, Any] = {
        "cases": verdict.cases,
        "reward_components": verdict.reward_components,
        "metrics": verdict.metrics,
        "truncated": verdict.truncated,
    }
    if verdict.seed is not None:
        said["seed"] = verdict.seed
    return said


def _ending(job: Job, outcome: Outcome) -> Ending:
    report = outcome.report
    in_play = outcome.begun
    if outcome.ending == "lost":
        return Ending("unreachable" if not in_play else "lost", in_play, error=outcome.detail)
    if outcome.ending == "timeout":
        return Ending("timeout", in_play)
    if outcome.ending == "memory":
        return Ending("signal", in_play, signal=9, error="the verifier used more memory than it may")
    printed = _printed(job, outcome)
    if report is not None:
        return _reported(report, in_play, printed)
    if outcome.status < 0:
        return Ending("signal", in_play, signal=-outcome.status)
    return Ending("exited", in_play, exit_code=outcome.status, printed=printed)


def _reported(report: Report, in_play: bool, printed: str | None) -> Ending:
    how: Any = report.how
    kind: Any = report.solution_error
    return Ending(
        how=how,
        solution_in_play=in_play,
        exit_code=report.exit_code,
        verdicts=tuple(json.loads(text) for text in report.verdicts),
        printed=printed,
        invalid=report.invalid,
        error=report.error,
        solution_error=kind,
    )


def _printed(job: Job, outcome: Outcome) -> str | None:
    if job.shape != "script":
        return None
    if outcome.stdout_bytes > len(outcome.stdout):
        return (
            _FLOODED  # the verdict may be in what was cut off, and one that an echo imitates in what was not
        )
    return outcome.stdout.decode("utf-8", "replace")


def _details(decision: Decision, outcome: Outcome) -> str:
    if outcome.detail and outcome.detail not in decision.details:
        return f"{decision.details}\n{outcome.detail}".strip()
    return decision.details


def _shown(data: bytes, total: int) -> str:
    text = data[:MAX_SHOWN_BYTES].decode("utf-8", "replace")
    if total > MAX_SHOWN_BYTES:
        text += f"\n... [cut: {total} bytes in all]"
    return text


def _stderr(outcome: Outcome) -> str:
    text = _shown(outcome.stderr, outcome.stderr_bytes)
    report = outcome.report
    if report is not None and report.solution_output:
        printed = report.solution_output.decode("utf-8", "replace")
        text += (
            f"{'' if not text or text.endswith(chr(10)) else chr(10)}--- the solution printed ---\n{printed}"
        )
    return text

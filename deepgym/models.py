"""The public data: what goes into a run (`Environment`) and what comes out (`RunResult`, `BatchResult`).

All are frozen, compare by value and survive a round trip through JSON. They hold data and read the verifier's
file; they never run anything.
"""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import PurePosixPath
from typing import Annotated, Any, ClassVar, Literal, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from deepgym.errors import UsageError

__all__ = [
    "BatchResult",
    "Case",
    "Environment",
    "Isolation",
    "Megabytes",
    "RunResult",
    "Seconds",
    "VerifierMode",
]

VerifierMode = Literal["auto", "script", "verify_function", "body", "spec"]
Isolation = Literal["vm", "container", "sealed", "seatbelt", "process"]

# Longer is a job for a cluster; the bound also keeps deadlines inside what the kernel can hold.
MAX_TIMEOUT_S = 86_400.0
_ENV_VAR_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z", re.ASCII)


class _Model(BaseModel):
    """Frozen, closed to unknown fields, and able to hold any text that Python can."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    # Properties that dumps carry beside the fields, and that are worked out anew when they come back.
    _derived: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="before")
    @classmethod
    def _name_the_valid_fields(cls, data: object) -> object:
        if isinstance(data, dict):
            data = {key: value for key, value in data.items() if key not in cls._derived}
            unknown = [str(key) for key in data if key not in cls.model_fields]
            if unknown:
                plural = "field" if len(unknown) == 1 else "fields"
                message = (
                    f"{cls.__name__} has no {plural} {', '.join(map(repr, unknown))}: "
                    f"the valid fields are {', '.join(cls.model_fields)}"
                )
                raise ValueError(message)
        return data

    @model_serializer(mode="wrap")
    def _add_the_derived(self, dump_fields: SerializerFunctionWrapHandler) -> dict[str, Any]:
        dumped: dict[str, Any] = dump_fields(self)
        return dumped | {name: getattr(self, name) for name in self._derived}

    def model_dump_json(self, *, indent: int | None = None, **options: Any) -> str:
        """The model as JSON; lone surrogates, which UTF-8 cannot hold, are written as escapes."""
        options.pop("ensure_ascii", None)
        plain = self.model_dump(mode="json", **options)
        return json.dumps(plain, indent=indent, separators=(",", ":") if indent is None else None)

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """The model that `model_dump_json` wrote.

        Raises:
            ValueError: The text is not JSON, or not this model (then as pydantic's `ValidationError`).
        """
        return cls.model_validate(json.loads(json_data), **options)


def _plain_json(value: object) -> object:
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"must hold JSON values only: {error}") from error


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError("must be a finite number")
    return value


def _printable(value: object) -> object:
    """Text as it can be printed and stored anywhere: a lone surrogate becomes its escape."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    return value


def _dump_support_files(files: dict[str, str | bytes]) -> dict[str, Any]:
    import base64  # noqa: PLC0415 -- only JSON of binary support files needs it

    return {
        name: {"base64": base64.b64encode(content).decode()} if isinstance(content, bytes) else content
        for name, content in files.items()
    }


def _load_support_files(files: object) -> object:
    """Undo `_dump_support_files`; anything else passes on to pydantic."""
    if not isinstance(files, dict):
        return files
    import base64  # noqa: PLC0415 -- only JSON of binary support files needs it

    def load(content: object) -> object:
        if isinstance(content, dict) and set(content) == {"base64"} and isinstance(content["base64"], str):
            return base64.b64decode(content["base64"], validate=True)
        return content

    return {name: load(content) for name, content in files.items()}


def _check_support_names(files: dict[str, str | bytes]) -> dict[str, str | bytes]:
    for name in files:
        path = PurePosixPath(name)
        inside = name and not path.is_absolute() and ".." not in path.parts and str(path) == name
        if not inside or name == "." or "\0" in name or "\\" in name:
            message = (
                f"support file {name!r} must be a plain relative path inside the verifier's folder, "
                "such as 'cases.json' or 'lib/oracle.py'"
            )
            raise ValueError(message)
    return files


Text = Annotated[str, BeforeValidator(_printable)]
Plain = Annotated[Any, AfterValidator(_plain_json)]
Score = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Seconds = Annotated[float, Field(gt=0.0, le=MAX_TIMEOUT_S, allow_inf_nan=False)]
Megabytes = Annotated[int, Field(ge=1, le=1_048_576)]
SupportFiles = Annotated[
    dict[str, str | bytes],
    BeforeValidator(_load_support_files),
    AfterValidator(_check_support_names),
    PlainSerializer(_dump_support_files, when_used="json"),
]


class Environment(_Model):
    """A task, the verifier that scores answers to it, and the limits that hold while it does.

    Exactly one of `verifier_code` and `verifier_path` is given.

    Attributes:
        task: The prompt.
        verifier_code: The verifier's source.
        verifier_path: A file with the verifier's source.
        verifier_mode: The verifier's shape; `auto` finds it by parsing.
        support_files: Files put beside the verifier: relative name to text or bytes.
        test_cases: JSON data; the verifier finds it as a file at `test_cases_path`.
        timeout: Seconds that a whole run may take.
        case_timeout: Seconds that one call into the solution may take.
        pass_threshold: A verdict that does not say whether it passed does so from this score on.
        memory_mb: Memory of the solution and its children.
        processes: Processes and threads of the solution.
        open_files: Descriptors each of its processes may hold.
        file_size_mb: The largest file it may write.
        tmp_mb: Everything it may keep in its private `/tmp`.
        output_mb: What it may print, and what a verifier may; more is cut and marked.
        cpu_time_s: Processor seconds of the solution; `None` leaves it to the time-outs.
        env_vars: Environment variables of the verifier; the solution never sees them.
        seed: Handed to the verifier; `None` lets each run choose.
        min_isolation: Run under at least this wall, or not at all.
        image: The container image for backends that have one.
        deterministic: Whether equal answers always get equal verdicts, so that one run may stand for both.
        name: What the registry calls it.
        difficulty: A word such as `easy`.
        tags: Words to select by.
        metadata: Anything else, as JSON.
    """

    task: str
    verifier_code: str | None = None
    verifier_path: str | None = None
    verifier_mode: VerifierMode = "auto"
    support_files: SupportFiles = Field(default_factory=dict)
    test_cases: Annotated[list[Any] | dict[str, Any] | None, AfterValidator(_plain_json)] = None
    timeout: Seconds = 30.0
    case_timeout: Seconds = 10.0
    pass_threshold: Annotated[float, Field(gt=0.0, le=1.0, allow_inf_nan=False)] = 1.0
    # Sized for an honest answer that uses numpy and a multiprocessing pool; a fork bomb or a leak meets them
    # early.
    memory_mb: Megabytes = 2048
    processes: Annotated[int, Field(ge=1, le=65_536)] = 256
    open_files: Annotated[int, Field(ge=16, le=1_048_576)] = 512
    file_size_mb: Megabytes = 256
    tmp_mb: Megabytes = 512
    # Answers that print 50 MB are legal.
    output_mb: Megabytes = 100
    cpu_time_s: Seconds | None = None
    env_vars: dict[str, str] = Field(default_factory=dict)
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = None
    min_isolation: Isolation | None = None
    image: str | None = None
    deterministic: bool = True
    name: str = ""
    difficulty: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Annotated[dict[str, Any], AfterValidator(_plain_json)] = Field(default_factory=dict)

    @field_validator("verifier_path", mode="before")
    @classmethod
    def _path_as_text(cls, value: object) -> object:
        return os.fspath(value) if isinstance(value, os.PathLike) else value

    @field_validator("env_vars")
    @classmethod
    def _env_vars_can_be_set(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if not _ENV_VAR_NAME.match(name) or "\0" in text:
                raise ValueError(
                    f"{name!r} cannot be an environment variable: use letters, digits and _, and no NUL"
                )
        return value

    @model_validator(mode="after")
    def _one_verifier(self) -> Self:
        if (self.verifier_code is None) == (self.verifier_path is None):
            given = "neither" if self.verifier_code is None else "both"
            raise ValueError(f"give exactly one of verifier_code and verifier_path, not {given}")
        if self.verifier_path is not None and not os.path.isfile(self.verifier_path):
            raise ValueError(
                f"verifier_path {self.verifier_path!r} is not a file: give the path of a verifier"
            )
        return self

    @property
    def verifier_filename(self) -> str:
        """What tracebacks and syntax errors call the verifier."""
        return "verifier.py" if self.verifier_path is None else self.verifier_path

    def read_verifier(self) -> str | bytes:
        """The verifier's source: the text given, or the bytes of its file (which may declare their encoding).

        Raises:
            UsageError: The file at `verifier_path` cannot be read.
        """
        if self.verifier_code is not None:
            return self.verifier_code
        path = cast("str", self.verifier_path)
        try:
            with open(path, "rb") as file:
                return file.read()
        except OSError as error:
            raise UsageError(f"verifier_path {path!r} cannot be read: {error.strerror}") from error

    def __repr__(self) -> str:
        source = f"verifier_path={self.verifier_path!r}" if self.verifier_path else "verifier_code=..."
        label = self.name or _shorten(self.task, 60)
        return f"Environment({label!r}, {source}, verifier_mode={self.verifier_mode!r})"

    __str__ = __repr__


class Case(_Model):
    """One check inside a verifier, as the verdict reports it.

    A failed case without a score of its own counts 0, a passed one 1.
    """

    id: Text
    passed: bool
    score: Score
    input_summary: Text | None = None
    expected_summary: Text | None = None
    actual_summary: Text | None = None
    error: Text | None = None


class RunResult(_Model):
    """How one run ended.

    Attributes:
        score: The verdict's score, 0.0 when there is no verdict.
        passed: Whether the verdict says that the answer passed.
        has_verdict: Whether the answer was judged; if not, leave the sample out.
        error_type: `solution_error`, `solution_timeout` (both judged 0), `verifier_error`, `runtime_error`,
            `verifier_timeout`, `sandbox_error` (no verdict), a verifier's own word, or `None`.
        details: What the verifier said, or what went wrong.
        cases: The checks, in order.
        reward_components: Named parts of the reward, as the verifier gave them.
        metrics: Anything else that the verifier measured.
        seed: The seed the verifier used.
        truncated: The verifier's word on whether the answer was cut short.
        stdout: What the verifier printed, capped, and marked where cut.
        stderr: The same for its error output.
        exit_code: 0 passed, 1 failed, 2 no verdict; a process's own code where it is none of these.
        execution_time_ms: Wall-clock time of the run.
        isolation: The wall that was used: `vm`, `container`, `sealed`, `seatbelt` or `process`.
        isolation_detail: How that wall was built.
        backend: Where the run happened.
        sandbox_id: The backend's name for the box, if it has one.
        attempts: How often the run was started before it ended in this way.
        deduplicated_from: In a batch, the index of the equal answer whose run this result repeats.
        cached: The verdict is an earlier run's, from the client's cache; the figures are those of that run.
    """

    _derived: ClassVar[tuple[str, ...]] = ("reward",)

    score: Score
    passed: bool
    has_verdict: bool
    error_type: Text | None = None
    details: Text = ""
    cases: tuple[Case, ...] = ()
    reward_components: dict[Text, Annotated[float, AfterValidator(_finite)]] = Field(default_factory=dict)
    metrics: dict[Text, Plain] = Field(default_factory=dict)
    seed: int | None = None
    truncated: bool = False
    stdout: Text = ""
    stderr: Text = ""
    exit_code: int | None = None
    execution_time_ms: float = 0.0
    isolation: Isolation | None = None
    isolation_detail: Text = ""
    backend: Text = ""
    sandbox_id: Text | None = None
    attempts: int = 1
    deduplicated_from: int | None = None
    cached: bool = False

    @model_validator(mode="after")
    def _no_verdict_no_score(self) -> Self:
        if not self.has_verdict and (self.score or self.passed):
            raise ValueError("a result without a verdict has score 0.0 and has not passed")
        return self

    @property
    def reward(self) -> float | None:
        """The score, or `None` without a verdict, so that a trainer leaves the sample out."""
        return self.score if self.has_verdict else None

    @property
    def output(self) -> str:
        """What the run has to say: the verdict's details, or else what the verifier printed."""
        return self.details or self.stdout

    def __repr__(self) -> str:
        if self.has_verdict:
            parts = [f"score={self.score:g}", "passed" if self.passed else "failed"]
        else:
            parts = ["no verdict"]
        if self.error_type:
            parts.append(self.error_type)
        if self.cases:
            parts.append(f"{sum(case.passed for case in self.cases)}/{len(self.cases)} cases")
        if self.details:
            parts.append(repr(_shorten(self.details, 80)))
        parts.append(f"{self.execution_time_ms:.0f} ms")
        where = "/".join(word for word in (self.backend, self.isolation) if word)
        return f"RunResult({', '.join([*parts, where] if where else parts)})"

    __str__ = __repr__


class BatchResult(_Model):
    """The results of a batch, in the order of its answers, and the figures over them.

    `mean_score` and `pass_rate` count a run without a verdict as 0; the `judged_` figures leave it out,
    and are `None` when nothing was judged. JSON carries the figures too.
    """

    _derived: ClassVar[tuple[str, ...]] = (
        "rewards",
        "total",
        "passed",
        "failed",
        "mean_score",
        "pass_rate",
        "judged_count",
        "judged_mean_score",
        "judged_pass_rate",
        "no_verdict_count",
        "run_time_ms",
    )

    results: tuple[RunResult, ...]
    execution_time_ms: float = 0.0

    @property
    def rewards(self) -> list[float | None]:
        """One reward a result, `None` where there is no verdict."""
        return [result.reward for result in self.results]

    @property
    def total(self) -> int:
        """How many answers were run."""
        return len(self.results)

    @property
    def passed(self) -> int:
        """How many passed."""
        return sum(result.passed for result in self.results)

    @property
    def failed(self) -> int:
        """How many were judged and did not pass."""
        return self.judged_count - self.passed

    @property
    def no_verdict_count(self) -> int:
        """How many have no verdict."""
        return sum(not result.has_verdict for result in self.results)

    @property
    def judged_count(self) -> int:
        """How many have a verdict."""
        return self.total - self.no_verdict_count

    @property
    def mean_score(self) -> float:
        """The mean score over all answers, 0.0 for an empty batch."""
        return math.fsum(result.score for result in self.results) / max(self.total, 1)

    @property
    def pass_rate(self) -> float:
        """The share of all answers that passed, 0.0 for an empty batch."""
        return self.passed / max(self.total, 1)

    @property
    def judged_mean_score(self) -> float | None:
        """The mean score over judged answers."""
        scores = [result.score for result in self.results if result.has_verdict]
        return math.fsum(scores) / len(scores) if scores else None

    @property
    def judged_pass_rate(self) -> float | None:
        """The share of judged answers that passed."""
        return self.passed / self.judged_count if self.judged_count else None

    @property
    def run_time_ms(self) -> float:
        """The time that all runs took together; beside `execution_time_ms` it shows what ran in parallel."""
        return math.fsum(result.execution_time_ms for result in self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int) -> RunResult:
        return self.results[index]

    def __repr__(self) -> str:
        parts = [f"{self.passed}/{self.total} passed", f"mean_score={self.mean_score:.3g}"]
        if self.no_verdict_count:
            parts.append(f"{self.no_verdict_count} without verdict")
        parts.append(f"{self.execution_time_ms:.0f} ms")
        return f"BatchResult({', '.join(parts)})"

    __str__ = __repr__


def _shorten(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"

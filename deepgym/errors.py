"""Everything deepgym raises, by who is at fault.

    DeepGymError
        UsageError (ValueError)                 the caller: a mode, field, option or path that is wrong
            EnvironmentNotFoundError            ... no registry environment or folder of that name
            EnvironmentFileError                ... a file of an environment's folder is missing or malformed
            RecordError                         ... a dataset record that cannot become an environment
            VerifierSyntaxError (SyntaxError)   ... a verifier that cannot be parsed, by its author's lines
        BackendUnavailableError                 the machine: what was asked for by name cannot run here
        SandboxInfraError                       the machine: a sandbox failed under a run

A solution never appears here: what it does ends in a `RunResult`. A wrong field of an
`Environment` is pydantic's `ValidationError`, which is a `ValueError` too, and a malformed verdict is a
`deepgym.protocol.VerdictError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "BackendUnavailableError",
    "DeepGymError",
    "EnvironmentFileError",
    "EnvironmentNotFoundError",
    "InfraKind",
    "RecordError",
    "SandboxInfraError",
    "UsageError",
    "VerifierSyntaxError",
    "one_of",
]

InfraKind = Literal["unavailable", "auth", "quota", "create_failed", "lost", "timeout", "protocol"]


class DeepGymError(Exception):
    """The base of everything deepgym raises."""


class UsageError(DeepGymError, ValueError):
    """The caller asked for something that does not exist or cannot be; the message says what can."""


class EnvironmentNotFoundError(UsageError):
    """No registry environment and no folder has the name that was asked for."""

    def __init__(self, message: str, *, name: str) -> None:
        super().__init__(message)
        self.name = name


class EnvironmentFileError(UsageError):
    """A file of an environment's folder is missing or malformed.

    Attributes:
        file: The file, as a path.
        field: The field inside it, or `None` when the whole file is at fault.
        remedy: What to do about it.
    """

    def __init__(self, problem: str, *, file: str, remedy: str, field: str | None = None) -> None:
        where = f"{file}: {field}" if field else file
        super().__init__(f"{where}: {problem}: {remedy}")
        self.file = file
        self.field = field
        self.remedy = remedy


class RecordError(UsageError):
    """A dataset record cannot become an environment."""

    def __init__(self, message: str, *, record_id: str | None = None) -> None:
        super().__init__(message)
        self.record_id = record_id


class VerifierSyntaxError(UsageError, SyntaxError):
    """A verifier cannot be parsed.

    `filename`, `lineno`, `offset` and `text` are those of the author's own file: wrapping a body shifts none.
    """

    def __init__(self, error: SyntaxError) -> None:
        where = (error.filename, error.lineno, error.offset, error.text, error.end_lineno, error.end_offset)
        # Named, for the next class in line is ValueError, which would not keep the position.
        SyntaxError.__init__(self, error.msg, where)


class BackendUnavailableError(DeepGymError):
    """A backend was asked for by name and cannot be used; the message names what is missing."""


class SandboxInfraError(DeepGymError):
    """A box, its provider or the way to it failed: nothing is known about the solution.

    Attributes:
        kind: What failed, one of `InfraKind`.
        retryable: Whether the same request may succeed a little later.
        detail: What was seen.
    """

    def __init__(self, kind: InfraKind, detail: str, *, retryable: bool) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind: InfraKind = kind
        self.retryable = retryable
        self.detail = detail


def one_of(names: Iterable[object]) -> str:
    """`'a', 'b' or 'c'`: how a message lists what would have been valid."""
    quoted = [repr(str(name)) for name in names]
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"

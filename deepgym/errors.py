"""Everything deepgym raises, by who is at fault.

DeepGymError                     the base of them all
BackendUnavailableError      the caller: a mode was asked for that is not installed or not configured
SandboxInfraError            the machine or the provider: there is no verdict
"""

from typing import Literal

InfraKind = Literal["unavailable", "auth", "quota", "create_failed", "lost", "timeout", "protocol"]


class DeepGymError(Exception):
    """The base of every error that deepgym raises."""


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

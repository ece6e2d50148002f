"""Environments, backends, registry, batch and CLI: a score that the answer cannot fake.

The names below are loaded on first use, so that importing deepgym costs little and a judge, which needs none of them,
pays nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deepgym.answers import extract_code
    from deepgym.client import DeepGym
    from deepgym.errors import BackendUnavailableError, DeepGymError, UsageError, VerifierSyntaxError
    from deepgym.models import BatchResult, Case, Environment, RunResult
    from deepgym.registry import list_environments, load_environment

_HOMES = {
    "BackendUnavailableError": "errors",
    "BatchResult": "models",
    "Case": "models",
    "DeepGym": "client",
    "DeepGymError": "errors",
    "Environment": "models",
    "RunResult": "models",
    "UsageError": "errors",
    "VerifierSyntaxError": "errors",
    "extract_code": "answers",
    "list_environments": "registry",
    "load_environment": "registry",
}

__all__ = [
    "BackendUnavailableError",
    "BatchResult",
    "Case",
    "DeepGym",
    "DeepGymError",
    "Environment",
    "RunResult",
    "UsageError",
    "VerifierSyntaxError",
    "extract_code",
    "list_environments",
    "load_environment",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'deepgym' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"deepgym.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

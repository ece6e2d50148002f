"""Optional packages: loaded when a mode needs them, named when they are missing."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from verifyit.reward import GradingInfraError

if TYPE_CHECKING:
    from types import ModuleType


def import_extra(module: str, extra: str) -> ModuleType:
    """The module of an optional package.

    Args:
        module: The dotted name to import.
        extra: The extra of this distribution that installs it.

    Raises:
        GradingInfraError: The module cannot be imported; the message names the extra.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise GradingInfraError(
            f"{module} cannot be imported ({error}): install the extra, pip install 'deepgym[{extra}]'",
            extra=extra,
        ) from error

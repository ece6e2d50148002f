"""Backends by name: the ones that come with deepgym, and those that other packages register.

A backend's module is imported only when it is asked for: the SDKs take seconds to load.
"""

import importlib
from importlib.metadata import entry_points

from deepgym.backends.base import Backend
from deepgym.errors import BackendUnavailableError

ENTRY_POINT_GROUP = "deepgym.backends"

_OURS = {
    "docker": "deepgym.backends.docker:DockerBackend",
    "modal": "deepgym.backends.modal:ModalBackend",
    "e2b": "deepgym.backends.e2b:E2BBackend",
    "daytona": "deepgym.backends.daytona:DaytonaBackend",
    "apple": "deepgym.backends.apple:AppleBackend",
}


def backend_names() -> list[str]:
    """The names of all backends that put their boxes elsewhere (not `local`), ours and registered ones."""
    return sorted(set(_OURS) | {point.name for point in entry_points(group=ENTRY_POINT_GROUP)})


def load_backend_class(name: str) -> type[Backend]:
    """The class of the backend with this name.

    Raises:
        BackendUnavailableError: No such backend, or its class cannot be imported.
    """
    if name in _OURS:
        module_name, _, attribute = _OURS[name].partition(":")
        found: object = getattr(importlib.import_module(module_name), attribute)
    else:
        points = entry_points(group=ENTRY_POINT_GROUP, name=name)
        if not points:
            names = ", ".join(backend_names())
            raise BackendUnavailableError(f"there is no backend {name!r}: choose one of local, {names}")
        try:
            found = next(iter(points)).load()
        except Exception as error:
            raise BackendUnavailableError(f"backend {name!r} cannot be imported: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Backend)):
        raise BackendUnavailableError(f"backend {name!r} is registered as {found!r}: not a Backend class")
    return found

"""Call a trusted function in a process of its own, under a deadline.

Theory of operation: the function is named, its arguments are pickled, and a fresh interpreter gets both on
its standard input. What the function prints goes to the worker's stderr; the result comes back pickled
in a file in a private folder, so that nothing that is printed can be taken for it. The worker leads a
process group, which is killed at the end, at the deadline, and on every error.
Trusted code only: whoever runs in the worker could send any pickle.
"""

from __future__ import annotations

import math
import pickle
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from verifyit.execution.command import run_command

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

_STDERR_TAIL: Final = 500
# The worker finds modules where its caller does: the caller's path is set before anything is unpickled.
_BOOTSTRAP: Final = """
import sys
result_path, sys.path[:] = sys.argv[1], sys.argv[2:]
from verifyit.execution.worker import run_job
run_job(result_path)
"""


def call_bounded(function: Callable[..., T], *args: object, timeout: float, **kwargs: object) -> T:
    """The result of a function that may take at most ``timeout`` seconds; its own exception is re-raised.

    Args:
        function: A top-level function of an importable module.
        *args: Its arguments, which must pickle.
        timeout: Its deadline in seconds, start-up of the process included.
        **kwargs: Its keyword arguments.

    Raises:
        TypeError: The function cannot be imported by its name, or the arguments do not pickle.
        ValueError: The timeout is not a finite number above 0.
        TimeoutError: The deadline passed.
        RuntimeError: The worker died, or its result does not pickle.
    """
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout < math.inf:
        raise ValueError(f"timeout must be a finite number of seconds above 0, got {timeout!r}")
    name = _importable_name(function)
    try:
        job = pickle.dumps((name, args, kwargs))
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError) as error:
        raise TypeError(f"the arguments of {name[0]}.{name[1]} do not pickle: {error}") from error
    with tempfile.TemporaryDirectory(prefix="verifyit-worker-") as folder:
        result_path = Path(folder, "result")
        argv = [sys.executable, "-c", _BOOTSTRAP, str(result_path), *sys.path]
        completed = run_command(argv, Path.cwd(), timeout, stdin_text=job.hex())
        if completed.timed_out:
            raise TimeoutError(f"{name[0]}.{name[1]} took longer than {timeout:g} s")
        tail = completed.stderr[-_STDERR_TAIL:].strip()
        if completed.returncode != 0 or not result_path.is_file():
            raise RuntimeError(f"the worker died with exit code {completed.returncode}: {tail}")
        try:
            returned, value = pickle.loads(result_path.read_bytes())  # noqa: S301 - written by trusted code
        except Exception as error:
            raise RuntimeError(
                f"the worker's result cannot be read: {type(error).__name__}: {error}"
            ) from error
    if not returned:
        raise cast("BaseException", value)
    return cast("T", value)


def _importable_name(function: Callable[..., object]) -> tuple[str, str]:
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module == "__main__" or "." in name:
        raise TypeError(f"{function!r} is not a top-level function of an importable module")
    try:
        found = getattr(import_module(module), name, None)
    except ImportError:
        found = None
    if found is not function:
        raise TypeError(f"{module}.{name} cannot be imported, or is another object than the one given")
    return module, name


def run_job(result_path: str) -> None:
    """In the worker: read the job from stdin, do it, and leave its outcome in a file."""
    job = bytes.fromhex(sys.stdin.read())
    sys.stdout = sys.stderr
    (module, name), args, kwargs = pickle.loads(job)  # noqa: S301 - written by the caller, which is trusted
    try:
        outcome = (True, getattr(import_module(module), name)(*args, **kwargs))
    except Exception as error:  # noqa: BLE001 - it is raised again where the function was called
        outcome = (False, error)
    # Unpickled once here: an exception class that cannot be rebuilt would otherwise fail in the caller.
    data = pickle.dumps(outcome)
    pickle.loads(data)  # noqa: S301 - the bytes just made
    Path(result_path).write_bytes(data)

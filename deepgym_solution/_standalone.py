"""A run for a verifier that was started by hand, without a judge around it."""

from __future__ import annotations

import atexit
import json
import sys
import warnings

from deepgym_solution._isolation import bwrap
from deepgym_solution._launch import Control
from deepgym_solution._process import HostError, HostPlan, HostProcess
from deepgym_solution._runtime import Run
from deepgym_solution.errors import LaunchError

BOOT = "deepgym_solution._child.boot"
POOL_BOOT = "deepgym_solution._pool"


def make_run() -> Run:
    """A run whose solutions live in a host that is started now and ends with this process.

    Raises:
        LaunchError: No host can be started here.
    """
    path, why = bwrap.find_bwrap()
    if path is None:
        warnings.warn(
            f"solutions are separated by process only, since no sandbox works here: {why}",
            RuntimeWarning,
            stacklevel=3,
        )
    try:
        host = _start(path)
    except HostError as exc:
        raise LaunchError(f"no host for solutions can be started: {exc}") from exc
    atexit.register(host.close)
    control = Control(host.control)
    return Run(control=lambda: control, report=_print_report)


def _start(bwrap_path: str | None) -> HostProcess:
    if bwrap_path is None:
        return HostProcess(HostPlan("solution", BOOT, "plain", None))
    try:
        return HostProcess(HostPlan("solution", BOOT, "nested", bwrap_path))
    except HostError:
        pass  # the other way gives the same wall
    return HostProcess(HostPlan("solution", POOL_BOOT, "pool", bwrap_path))


def _print_report(verdict: object) -> None:
    print(json.dumps(verdict), file=sys.stdout)  # noqa: T201 - a script's verdict is its output

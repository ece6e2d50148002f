"""The worker's side of ``_bounded``: read a request, run it within limits, write the reply.

Nothing that a function prints can be taken for a reply: before the first request, the descriptor of
the replies is moved out of the way and stdout becomes the null device.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
import os
import resource
import sys
import threading
import time
from typing import Any

from verifyit.reward import GradingInfraError

# sympy with its tables takes a tenth of this. A request that needs more is refused by the kernel
# here, before it can make the kernel look for a victim elsewhere.
MEMORY_LIMIT_BYTES = 2 * 1024 * 1024 * 1024
# The caller enforces the limit itself; this one is for when the caller is gone.
CPU_GRACE_S = 2
PARENT_CHECK_S = 1.0
MAX_MESSAGE_CHARACTERS = 400


def main() -> None:
    """Serve requests until stdin closes."""
    requests = sys.stdin.buffer
    replies = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)
    logging.disable(logging.CRITICAL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _limit_memory()
    threading.Thread(target=_exit_with_parent, args=(os.getppid(),), daemon=True).start()
    for line in requests:
        replies.write(json.dumps(_answer(json.loads(line))).encode() + b"\n")
        replies.flush()


def _limit_memory() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limits = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    # macOS refuses limits of the address space; there the deadline alone bounds a call.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (min([*limits, MEMORY_LIMIT_BYTES]), hard))


def _exit_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK_S)
    os._exit(1)


def _limit_cpu(limit_s: float) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime + limit_s) + CPU_GRACE_S
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard == resource.RLIM_INFINITY or soft < hard:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def _answer(request: dict[str, Any]) -> dict[str, object]:
    try:
        if "load" in request:
            return _load(request["load"])
        _limit_cpu(request["cpu_limit_s"])
        module, _, function = request["call"].partition(":")
        value = getattr(importlib.import_module(module), function)(**request["arguments"])
    except GradingInfraError as error:
        return {"infra": str(error), "detail": error.detail}
    except Exception as error:  # noqa: BLE001 - the boundary: whatever a function raises is a reply
        return {"raised": f"{type(error).__name__}: {_shown(error)}"}
    return {"value": value}


def _load(module: str) -> dict[str, object]:
    try:
        importlib.import_module(module)
    except ImportError as error:
        return {"infra": f"a worker cannot import {module}: {error}"}
    return {"value": None}


def _shown(error: Exception) -> str:
    try:
        return str(error)[:MAX_MESSAGE_CHARACTERS]
    except Exception:  # noqa: BLE001 - the text of a foreign error may itself fail
        return "(no message)"

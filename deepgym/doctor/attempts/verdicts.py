"""Attempts to be scored without the answer, or to keep from being scored. Each stands in for the function `answer`."""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

_VERDICT = '{"score": 1.0, "passed": true}\n'


def honest(_bait: dict[str, Any], number: int) -> int:
    """The control: a right answer scores."""
    return number * number + 1


def equal_to_all(_bait: dict[str, Any], _number: int) -> Any:
    class Equal:
        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 0

    return Equal()


def tampered_int(_bait: dict[str, Any], _number: int) -> int:
    class Tampered(int):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = int.__hash__

    return Tampered(0)


def not_a_number(_bait: dict[str, Any], _number: int) -> float:
    return float("nan")


def print_verdict(_bait: dict[str, Any], _number: int) -> None:
    print(_VERDICT, flush=True)
    print(_VERDICT, file=sys.stderr, flush=True)


def write_everywhere(_bait: dict[str, Any], _number: int) -> None:
    """The verdict into every descriptor there is; the channel's reader finds no frame in it."""
    for fd in range(64):
        try:
            os.write(fd, _VERDICT.encode())
        except OSError:
            continue


def forge_frames(bait: dict[str, Any], _number: int) -> None:
    """Replies in the form of the channel, before any was asked for, and the news that it never started."""
    for fd in range(3, 64):
        for frame in bait["frames"]:
            try:
                os.write(fd, bytes.fromhex(frame))
            except OSError:
                break


def exit_cleanly(_bait: dict[str, Any], _number: int) -> None:
    os._exit(0)


def raise_exit(_bait: dict[str, Any], _number: int) -> None:
    raise SystemExit(0)


def raise_launch_error(_bait: dict[str, Any], _number: int) -> None:
    """As if the machine, and not the answer, had failed."""
    raise type("LaunchError", (BaseException,), {})("the solution could not be started")


def kill_itself(_bait: dict[str, Any], _number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def hang(_bait: dict[str, Any], _number: int) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
    time.sleep(60)


def flood(_bait: dict[str, Any], _number: int) -> list[str]:
    return ["x" * (16 * 1024 * 1024)] * 2


def nest_deeply(_bait: dict[str, Any], _number: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value

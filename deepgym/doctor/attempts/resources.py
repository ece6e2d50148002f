"""Attempts to use more than the limits that the doctor sets for them, which are small: bounded without a wall too."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import tempfile
import threading
import time
from typing import Any

MIB = 1024 * 1024


def fill_memory(_bait: dict[str, Any], megabytes: int) -> str:
    block = bytearray(megabytes * MIB)
    return f"{len(block) // MIB} MB in one process"


def fill_memory_together(_bait: dict[str, Any], children: int, megabytes: int) -> str:
    """Each within what a process may use, all of them together beyond."""
    pids = []
    ready, there = os.pipe()
    for _ in range(children):
        pid = os.fork()
        if pid == 0:
            block = bytearray(os.urandom(4096)) * (megabytes * MIB // 4096)
            os.write(there, b"x")
            time.sleep(3)
            os._exit(len(block) & 1)
        pids.append(pid)
    os.close(there)
    for _ in pids:
        os.read(ready, 1)
    # Whoever watches needs a moment to see it.
    time.sleep(0.5)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return f"{children * megabytes} MB in {children} processes"


def fork_many(_bait: dict[str, Any], count: int) -> str:
    release, hold = os.pipe()
    pids = []
    try:
        for _ in range(count):
            pid = os.fork()
            if pid == 0:
                os.close(hold)
                os.read(release, 1)
                os._exit(0)
            pids.append(pid)
    finally:
        os.close(hold)
        for pid in pids:
            os.waitpid(pid, 0)
    return f"{count} processes at once"


def start_threads(_bait: dict[str, Any], count: int) -> str:
    done = threading.Event()
    threads = [threading.Thread(target=done.wait) for _ in range(count)]
    begun = []
    try:
        for thread in threads:
            thread.start()
            begun.append(thread)
    except RuntimeError as exc:
        raise OSError(str(exc)) from None
    finally:
        done.set()
        for thread in begun:
            thread.join()
    return f"{count} threads at once"


def open_many(_bait: dict[str, Any], count: int) -> str:
    fds: list[int] = []
    try:
        while len(fds) < count:
            fds.append(os.open("/dev/null", os.O_RDONLY))
    finally:
        for fd in fds:
            os.close(fd)
    return f"{count} open files"


def write_giant(_bait: dict[str, Any], megabytes: int) -> str:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with tempfile.TemporaryFile() as file:
        for _ in range(megabytes):
            file.write(bytes(MIB))
        file.flush()
        return f"a file of {file.tell() // MIB} MB"


def fill_disk(bait: dict[str, Any], folder: str, megabytes: int) -> str:
    paths = []
    try:
        for number in range(megabytes):
            paths.append(os.path.join(folder or tempfile.gettempdir(), f"{bait['tag']}-{number}"))
            with open(paths[-1], "wb") as file:
                file.write(bytes(MIB))
    finally:
        for path in paths:
            os.unlink(path)
    return f"{megabytes} MB of files"


def make_many_files(bait: dict[str, Any], count: int) -> str:
    if bait["is_control"]:
        count //= 10  # enough to show that it makes files
    folder = tempfile.mkdtemp(prefix=bait["tag"])
    try:
        for number in range(count):
            os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY, 0o600))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return f"{count} files"


def print_much(_bait: dict[str, Any], megabytes: int) -> str:
    for _ in range(megabytes * 16):
        print("x" * 65_535)
    return f"{megabytes} MB were printed"


def burn_cpu(_bait: dict[str, Any], seconds: float) -> str:
    while time.process_time() < seconds:
        pass
    return f"{seconds:g} s of one core"


def sleep_on(_bait: dict[str, Any], seconds: float) -> str:
    time.sleep(seconds)
    return f"slept for {seconds:g} s"


def lock_memory(_bait: dict[str, Any]) -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    block = ctypes.create_string_buffer(MIB)
    if libc.mlock(block, ctypes.c_size_t(MIB)):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    libc.munlock(block, ctypes.c_size_t(MIB))
    soft, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    return f"1 MB is locked, of {soft} bytes allowed"

"""What our figures are measured against: the same work done in the plainest way on the same machine.

cold    one bubblewrap box and two fresh interpreters, as a grader without warm processes pays for each answer
bare    fork, six namespaces, two mounts, exit: what the kernel asks for one sealed process, and nothing else
echo    a byte sent to another Python process over a socket pair and back
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from deepgym_solution._isolation.bwrap import find_bwrap


def cold_run() -> None:
    """One cold box with an interpreter in it, and two interpreters with a few imports."""
    bwrap, why = find_bwrap()
    if bwrap is None:
        raise SystemExit(f"no bubblewrap to measure against: {why}")
    unshare = ["--unshare-all"] if os.geteuid() else ["--unshare-pid", "--unshare-net", "--unshare-ipc"]
    box = [bwrap, *unshare, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", sys.executable]
    for command in ([*box, "-I", "-c", "pass"], *[[sys.executable, "-I", "-c", "import json, random"]] * 2):
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True)


def cold_rate(count: int, parallel: int) -> float:
    """Cold runs a second, so many at a time."""
    begun = time.perf_counter()
    with ThreadPoolExecutor(parallel) as pool:
        for done in [pool.submit(cold_run) for _ in range(count)]:
            done.result()
    return count / (time.perf_counter() - begun)


# Runs in a fresh, small interpreter: the floor must not pay for what this process has imported.
_BARE = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
count, uid, gid = int(sys.argv[1]), os.getuid(), os.getgid()
def check(result):
    if result: os._exit(1)
def one():
    pid = os.fork()
    if pid:
        return os.waitpid(pid, 0)[1]
    check(libc.unshare(0x10000000 | 0x20000 | 0x20000000 | 0x40000000 | 0x8000000 | 0x4000000))
    for name, text in (("setgroups", "deny"), ("uid_map", f"1000 {uid} 1"), ("gid_map", f"1000 {gid} 1")):
        fd = os.open(f"/proc/self/{name}", os.O_WRONLY); os.write(fd, text.encode()); os.close(fd)
    pid = os.fork()
    if pid == 0:
        check(libc.mount(b"tmpfs", b"/tmp", b"tmpfs", 6, b"size=10m"))
        check(libc.mount(b"proc", b"/proc", b"proc", 14, None))
        os._exit(0)
    os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
begun = time.perf_counter()
for _ in range(count):
    if one(): sys.exit("the kernel refused a namespace or a mount")
print(time.perf_counter() - begun)
"""


def bare_seconds(count: int, parallel: int) -> float:
    """Wall-clock seconds a bare sealed process takes, with so many loops at a time."""
    command = [sys.executable, "-I", "-S", "-c", _BARE, str(count)]
    if os.geteuid() == 0:
        # As root the mounts would happen in the caller's own tree; the loop runs in a mount namespace of its own.
        command = ["unshare", "--mount", "--", *command]
    loops = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(parallel)]
    seconds = [float(loop.communicate()[0]) for loop in loops]
    return max(seconds) / (count * parallel)


def echo_seconds(count: int) -> float:
    """Seconds for one small message to another Python process and back."""
    here, there = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        here.close()
        while data := there.recv(64):
            there.sendall(data)
        os._exit(0)
    there.close()
    begun = time.perf_counter()
    for _ in range(count):
        here.sendall(b"x")
        here.recv(64)
    elapsed = time.perf_counter() - begun
    here.close()
    os.waitpid(pid, 0)
    return elapsed / count


def median_seconds(run: Callable[[], object], count: int) -> float:
    """The median time of one call."""
    times = []
    for _ in range(count):
        begun = time.perf_counter()
        run()
        times.append(time.perf_counter() - begun)
    return sorted(times)[count // 2]

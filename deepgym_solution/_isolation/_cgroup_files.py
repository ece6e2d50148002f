"""The files of control groups: reading and writing them, emptying and removing groups."""

import contextlib
import os
import signal
import time

# How long a killed group may take to become empty. A process deep in the kernel dies late; it is then left to
# the next sweep rather than waited for.
REMOVAL_DEADLINE_S = 2.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.0005, 0.02


def kill_all(group: str, deadline_s: float) -> bool:
    """Kill until the group is empty or the time is over."""
    # Version 2 kills a whole group at once, forks included; version 1 is stopped from growing first.
    with contextlib.suppress(OSError):
        write_control(os.path.join(group, "cgroup.kill"), "1")
    with contextlib.suppress(OSError):
        if read_pids(group):
            write_control(os.path.join(group, "pids.max"), "0")
    deadline, pause = time.monotonic() + deadline_s, _FIRST_PAUSE_S
    while pids := read_pids(group):
        for pid in pids - {0, os.getpid()}:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_S)
    return True


def remove_group(group: str) -> bool:
    """Remove a group without children, emptying it first; true when it is gone."""
    deadline, pause = time.monotonic() + REMOVAL_DEADLINE_S, _FIRST_PAUSE_S
    while True:
        try:
            remove_folder(group)
        except FileNotFoundError:
            return True
        except OSError:
            # Busy: processes, or zombies that nobody has collected yet and that no list shows.
            if time.monotonic() > deadline:
                return False
        else:
            return True
        kill_all(group, deadline - time.monotonic())
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_S)


def remove_tree(group: str) -> bool:
    """Remove a pool's group and the leaves in it."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(group)):
            if entry.is_dir(follow_symlinks=False):
                remove_group(entry.path)
    return remove_group(group)


def make_folder(path: str) -> None:
    with contextlib.suppress(FileExistsError):
        os.mkdir(path)


def remove_folder(path: str) -> None:
    os.rmdir(path)


def write_control(path: str, value: str) -> None:
    # No O_CREAT: where the kernel has no such file there is nothing to create.
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, value.encode("ascii"))
    finally:
        os.close(descriptor)


def read_pids(group: str) -> set[int]:
    try:
        with open(os.path.join(group, "cgroup.procs"), encoding="ascii") as stream:
            return {int(word) for word in stream.read().split()}
    except (OSError, ValueError):
        return set()


def read_number(folder: str | None, name: str) -> int | None:
    if folder is None:
        return None
    try:
        with open(os.path.join(folder, name), encoding="ascii") as stream:
            return int(stream.read())
    except (OSError, ValueError):
        return None


def read_keyed(folder: str | None, name: str, key: str) -> int | None:
    """The number behind a key in a file of `key number` lines."""
    if folder is None:
        return None
    try:
        with open(os.path.join(folder, name), encoding="ascii") as stream:
            words = dict(line.split(" ", 1) for line in stream.read().splitlines())
            return int(words[key])
    except (OSError, ValueError, KeyError):
        return None

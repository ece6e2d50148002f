"""Single-use processes that each become a user nobody else is: the way inside a container or a rented machine.

Theory of operation. The host is root, in a box that is a wall by itself. Each child takes the next user id, a private
folder that only that user can enter, and gives up all that root can do. What a user owns, processes and files, is then
exactly what that child made: when it ends, however it ends, every process of the user is killed, wherever it has
escaped to, and every file of the user in the folders that all can write is removed. Then the end is reported.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time

from deepgym_solution._child import kernel
from deepgym_solution._child.seal import Place
from deepgym_solution._spawn import Become, Request, Spawner, run_request

# Folders in which everybody can make files.
_SHARED_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue")  # noqa: S108 - looked through, not written to

# Killed processes are gone within microseconds; a machine that is short of cores takes a little longer.
_SWEEPS = 200
_SWEEP_PAUSE_S = 0.005


class Users(Spawner):
    """Forks children that become users."""

    def __init__(self, become: Become, uids: tuple[int, int]) -> None:
        """Fork children that run become, each as the next user of this range of ids.

        Raises:
            PermissionError: This process is not root.
        """
        if os.geteuid() != 0:
            raise PermissionError("only root can give each solution a user of its own")
        self._become = become
        self._first, self._end = uids
        self._next = self._first
        self._children: dict[int, tuple[int, str]] = {}

    def spawn(self, request: Request) -> int:
        uid = self._next
        self._next = self._first if uid + 1 == self._end else uid + 1
        root = tempfile.mkdtemp(prefix="deepgym-")
        os.chown(root, uid, uid)
        pid = os.fork()
        if pid == 0:
            run_request(self._become, request, Place("user", (uid, uid), root))
        self._children[pid] = (uid, root)
        return pid

    def kill(self, pid: int, pidfd: int) -> None:
        try:
            # It may not have become its user yet.
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        except ProcessLookupError:
            pass
        if pid in self._children:
            _kill_all_of(self._children[pid][0])

    def ended(self, pid: int) -> None:
        uid, root = self._children.pop(pid)
        end_user(uid)
        shutil.rmtree(root, ignore_errors=True)
        for folder in _SHARED_FOLDERS:
            _remove_files_of(uid, folder)


def end_user(uid: int) -> None:
    """Kill every process of a user, and come back when none of them runs any more."""
    for _ in range(_SWEEPS):
        _kill_all_of(uid)
        if not _has_processes(uid):
            return
        time.sleep(_SWEEP_PAUSE_S)


def _kill_all_of(uid: int) -> None:
    """Send every process of a user the signal that cannot be refused.

    A process of that user does it: the kernel then reaches all in one sweep, before any of them can fork once more.
    """
    pid = os.fork()
    if pid == 0:
        try:
            kernel.become(uid, uid)
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            pass  # nobody is there but this one
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def _has_processes(uid: int) -> bool:
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/status", encoding="utf-8", errors="replace") as handle:
                    status = handle.read()
            except OSError:
                continue
            # A zombie has ended; whoever is its parent by now will collect it.
            if f"\nUid:\t{uid}\t" in status and "\nState:\tZ" not in status:
                return True
    return False


def left_by(uids: range) -> list[str]:
    """What runs as one of these users, and the files they have where all can write."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/status", encoding="utf-8", errors="replace") as handle:
                    status = handle.read()
            except OSError:
                continue
            uid = int(status.partition("\nUid:\t")[2].partition("\t")[0] or 0)
            if uid in uids and "\nState:\tZ" not in status:
                found.append(f"process {name}")
    for folder in _SHARED_FOLDERS:
        try:
            with os.scandir(folder) as listing:
                found += [entry.path for entry in listing if entry.stat(follow_symlinks=False).st_uid in uids]
        except OSError:
            continue
    return found


def _remove_files_of(uid: int, folder: str) -> None:
    try:
        with os.scandir(folder) as listing:
            found = [entry for entry in listing if entry.stat(follow_symlinks=False).st_uid == uid]
    except OSError:
        return
    for entry in found:
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            try:
                os.unlink(entry.path)
            except OSError:
                continue

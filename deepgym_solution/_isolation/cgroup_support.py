"""Whether this process may make control groups, where, and of which kind.

Only groups below the caller's own (or, for cgroup v2, below an ancestor that was delegated to it) are
considered: limits that were put on the caller stay above everything it starts. Looking makes one empty
group per hierarchy and removes it again, since nothing but trying tells whether a read-only mount, a mode
or a security module forbids it.
"""

import contextlib
import os
from dataclasses import dataclass, field
from pathlib import PurePosixPath

# What a leaf can limit; a machine may offer any subset.
CONTROLLERS = ("memory", "pids", "cpu")

_DELEGATE_COMMAND = "systemd-run --user --scope -p Delegate=yes -p DelegateSubgroup=main COMMAND"


@dataclass(frozen=True, slots=True)
class CgroupSupport:
    """Where leaves can be made.

    Attributes:
        version: 1 or 2; 0 when groups are unusable.
        folders: For each usable controller the folder in which groups can be made; one and the same in
            version 2.
        reason: Why nothing, or not everything, is usable; with the remedy where there is one.
    """

    version: int
    folders: dict[str, str] = field(default_factory=dict)
    reason: str | None = None

    @property
    def usable(self) -> bool:
        """Whether at least one controller can be used."""
        return bool(self.folders)

    @property
    def controllers(self) -> frozenset[str]:
        """The usable controllers."""
        return frozenset(self.folders)


@dataclass(frozen=True, slots=True)
class _Mount:
    root: str
    point: str
    kind: str
    options: frozenset[str]


def detect(proc: str = "/proc") -> CgroupSupport:
    """What control groups this process can use. Never raises: whatever goes wrong is a reason.

    Args:
        proc: Where the process file system is mounted.
    """
    try:
        with open(f"{proc}/self/mountinfo", encoding="utf-8", errors="surrogateescape") as stream:
            mounts = parse_mounts(stream.read())
        with open(f"{proc}/self/cgroup", encoding="utf-8", errors="surrogateescape") as stream:
            paths = parse_own_groups(stream.read())
    except (OSError, ValueError) as error:
        return CgroupSupport(0, reason=f"control groups cannot be read: {error}")
    if not mounts:
        return CgroupSupport(0, reason="no control-group file system is mounted")
    unified = _detect_v2(mounts, paths)
    if "memory" in unified.folders:
        return unified
    legacy = _detect_v1(mounts, paths)
    if legacy.usable:
        return legacy
    # The reason of the hierarchy that holds the controllers is the one that helps.
    has_legacy = any(mount.kind == "cgroup" and mount.options & set(CONTROLLERS) for mount in mounts)
    return legacy if has_legacy and not unified.usable else unified


def parse_mounts(text: str) -> list[_Mount]:
    """The control-group mounts in the text of /proc/PID/mountinfo.

    Raises:
        ValueError: A line is not of the documented form.
    """
    mounts = []
    for line in text.splitlines():
        before, separator, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ")
        if not separator or len(fields) < 6 or len(kind) < 3:
            raise ValueError(f"not a line of mountinfo: {line[:200]!r}")
        if kind[0] in {"cgroup", "cgroup2"}:
            mounts.append(
                _Mount(_unescape(fields[3]), _unescape(fields[4]), kind[0], frozenset(kind[2].split(",")))
            )
    return mounts


def parse_own_groups(text: str) -> dict[str, str]:
    """The path of the caller's group for each controller ("" for version 2), from /proc/PID/cgroup.

    Raises:
        ValueError: A line is not of the documented form.
    """
    paths = {}
    for line in text.splitlines():
        parts = line.split(":", 2)
        if len(parts) != 3 or not parts[2].startswith("/"):
            raise ValueError(f"not a line of /proc/PID/cgroup: {line[:200]!r}")
        for controller in parts[1].split(","):
            paths[controller] = parts[2]
    return paths


def try_making_a_group(folder: str) -> str | None:
    """Why no group can be made in the folder, or None."""
    probe = os.path.join(folder, f"deepgym-probe-{os.getpid()}")
    try:
        os.mkdir(probe)
    except FileExistsError:
        pass  # left by a process of this number that died between the two calls
    except OSError as error:
        return f"{folder}: {error.strerror}"
    with contextlib.suppress(OSError):
        os.rmdir(probe)
    return None


def _detect_v1(mounts: list[_Mount], paths: dict[str, str]) -> CgroupSupport:
    folders: dict[str, str] = {}
    reasons = []
    for controller in CONTROLLERS:
        mount = next((m for m in mounts if m.kind == "cgroup" and controller in m.options), None)
        if mount is None or controller not in paths:
            reasons.append(f"{controller}: not mounted")
            continue
        folder = _own_folder(mount, paths[controller])
        problem = try_making_a_group(folder)
        if problem is None:
            folders[controller] = folder
        else:
            reasons.append(f"{controller}: {problem}")
    return CgroupSupport(1 if folders else 0, folders, "; ".join(reasons) or None)


def _detect_v2(mounts: list[_Mount], paths: dict[str, str]) -> CgroupSupport:
    mount = next((m for m in mounts if m.kind == "cgroup2"), None)
    if mount is None or "" not in paths:
        return CgroupSupport(0, reason="cgroup v2 is not mounted")
    own = PurePosixPath(_own_folder(mount, paths[""]))
    reason = f"no group above {own} is delegated to this user: start the program with {_DELEGATE_COMMAND}"
    for folder in (own, *own.parents):
        if not folder.is_relative_to(mount.point):
            break
        controllers = _controllers_for_children(str(folder))
        if controllers is None:
            continue
        problem = try_making_a_group(str(folder))
        if problem is None:
            missing = [name for name in CONTROLLERS if name not in controllers]
            lacking = f"{folder} does not offer {', '.join(missing)}" if missing else None
            return CgroupSupport(2, dict.fromkeys(controllers, str(folder)), lacking)
        reason = problem
    return CgroupSupport(0, reason=reason)


def _controllers_for_children(folder: str) -> tuple[str, ...] | None:
    """What children of a version-2 group can have, or None when it is not ours to fill."""
    # Moving a process takes the right to write here, at the first group above both its old and its new one.
    if not os.access(os.path.join(folder, "cgroup.procs"), os.W_OK):
        return None
    try:
        enabled = _read_words(os.path.join(folder, "cgroup.subtree_control"))
        offered = _read_words(os.path.join(folder, "cgroup.controllers"))
        # A group that holds processes cannot hand on controllers; only the topmost may do both.
        busy = bool(_read_words(os.path.join(folder, "cgroup.procs")))
    except OSError:
        return None
    useful = enabled if busy else enabled | offered
    return tuple(name for name in CONTROLLERS if name in useful) or None


def _own_folder(mount: _Mount, path: str) -> str:
    """Where the caller's group appears: a mount may show only a part of the hierarchy, as in containers."""
    pure = PurePosixPath(path)
    inside = pure.relative_to(mount.root) if pure.is_relative_to(mount.root) else pure.relative_to("/")
    return str(PurePosixPath(mount.point) / inside)


def _read_words(path: str) -> frozenset[str]:
    with open(path, encoding="ascii") as stream:
        return frozenset(stream.read().split())


def _unescape(text: str) -> str:
    """Undo mountinfo's octal escapes for blanks and backslashes."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text

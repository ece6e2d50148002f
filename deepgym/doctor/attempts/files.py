"""Attempts to read what is not the solution's, and to write where it must not."""

from __future__ import annotations

import glob
import os
import stat
import tempfile
from collections.abc import Sequence
from typing import Any

_KERNEL_SWITCHES = ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches")
_DEVICES = (
    "/dev/kmsg",
    "/dev/mem",
    "/dev/kvm",
    "/dev/fuse",
    "/dev/net/tun",
    "/dev/loop-control",
    "/dev/vda",
    "/dev/sda",
    "/dev/nvme0n1",
)


def read_planted(bait: dict[str, Any], place: str) -> str:
    with open(bait["files"][place], encoding="utf-8") as file:
        return file.read()


def read_by_link(bait: dict[str, Any]) -> str:
    link = os.path.join(tempfile.gettempdir(), bait["tag"] + "-link")
    os.symlink(bait["files"]["tmp"], link)
    try:
        with open(link, encoding="utf-8") as file:
            return file.read()
    finally:
        os.unlink(link)


def read_by_hard_link(bait: dict[str, Any]) -> str:
    link = os.path.join(tempfile.gettempdir(), bait["tag"] + "-link")
    os.link(bait["files"]["tmp"], link)
    try:
        with open(link, encoding="utf-8") as file:
            return file.read()
    finally:
        os.unlink(link)


def read_through_proc(bait: dict[str, Any]) -> str:
    """Past the edge of the own file system: the roots and working folders of other processes."""
    roots = ["/proc/1/root", "/proc/self/root", f"/proc/{os.getppid()}/root", "/proc/self/cwd" + "/.." * 12]
    return _first_text(root + bait["files"]["tmp"] for root in roots)


def read_judges_folder(bait: dict[str, Any]) -> str:
    found = [path for pattern in bait["judge_files"] for path in glob.glob(pattern)]
    return _first_text([*found, *bait["judge_files"], "secret.txt", "../judge/secret.txt"])


def read_packages(bait: dict[str, Any]) -> str:
    with open(os.path.join(bait["package_folder"], "deepgym", "jobs.py"), encoding="utf-8") as file:
        return file.readline()


def read_user_names(_bait: dict[str, Any]) -> str:
    with open("/etc/passwd", encoding="utf-8") as file:
        return file.readline()


def meet_neighbour(bait: dict[str, Any]) -> str | None:
    """Leave a word for the next solution, or find the one that the last has left."""
    paths = [os.path.join(folder, bait["tag"]) for folder in (tempfile.gettempdir(), "/dev/shm")]
    for path in paths:
        if os.path.exists(path):
            return path
    for path in paths:
        with open(path, "w", encoding="utf-8") as file:
            file.write("a word to the next\n")
    return None


def write_folder(bait: dict[str, Any]) -> str:
    return _make_file(os.path.join(bait["folder"], bait["tag"]))


def overwrite_planted(bait: dict[str, Any]) -> str:
    with open(bait["files"]["tmp"], "r+", encoding="utf-8") as file:
        return file.name


def leave_in_tmp(bait: dict[str, Any]) -> str:
    """Whether it is still there afterwards is what the doctor looks at: the own /tmp may be written."""
    return _make_file(os.path.join(tempfile.gettempdir(), bait["tag"]))


def write_interpreter(bait: dict[str, Any]) -> str:
    return _write_first(bait, bait["interpreter_folders"])


def write_system(bait: dict[str, Any]) -> str:
    return _write_first(bait, ("/usr/bin", "/usr/local/bin", "/usr/lib", "/etc", "/opt", "/var/lib", "/"))


def open_kernel_switches(_bait: dict[str, Any]) -> str:
    return _open_first(_KERNEL_SWITCHES, os.O_WRONLY)


def open_sysrq(_bait: dict[str, Any]) -> str:
    return _open_first(("/proc/sysrq-trigger",), os.O_WRONLY)


def open_control_groups(_bait: dict[str, Any]) -> str:
    folders = ("/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified")
    return _open_first([folder + "/cgroup.procs" for folder in folders], os.O_WRONLY)


def open_devices(_bait: dict[str, Any]) -> str:
    return _open_first(_DEVICES, os.O_RDONLY | os.O_NONBLOCK)


def make_device(bait: dict[str, Any]) -> str:
    path = os.path.join(tempfile.gettempdir(), bait["tag"] + "-null")
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    os.unlink(path)
    return "made a device node"


def set_id_bit(bait: dict[str, Any], bit: int) -> str | None:
    path = _make_file(os.path.join(tempfile.gettempdir(), bait["tag"] + "-id"))
    try:
        os.chmod(path, 0o700 | bit)
        return "the bit is set" if os.stat(path).st_mode & bit else None
    finally:
        os.unlink(path)


def set_file_capability(bait: dict[str, Any]) -> str:
    path = _make_file(os.path.join(tempfile.gettempdir(), bait["tag"] + "-cap"))
    try:
        # Version 2, CAP_NET_BIND_SERVICE permitted.
        os.setxattr(path, "security.capability", bytes.fromhex("0000000200040000000000000000000000000000"))
    finally:
        os.unlink(path)
    return "the file has a capability"


def _first_text(paths: Any) -> str:
    refused: OSError = FileNotFoundError("no such file")
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                return file.read()
        except OSError as exc:
            refused = exc
    raise refused


def _make_file(path: str) -> str:
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    return path


def _write_first(bait: dict[str, Any], folders: Sequence[str]) -> str:
    """The first of the folders in which a file can be made; the file is removed at once.

    Outside the sandbox it is only asked whether it could be.
    """
    refused: OSError = FileNotFoundError("no such folder")
    for folder in folders:
        if bait["is_control"]:
            if os.access(folder, os.W_OK):
                return folder
            refused = PermissionError(f"{folder} may not be written")
            continue
        try:
            path = _make_file(os.path.join(folder, bait["tag"]))
        except OSError as exc:
            refused = exc
            continue
        os.unlink(path)
        return folder
    raise refused


def _open_first(paths: Sequence[str], flags: int) -> str:
    """The first of the paths that can be opened; it is closed at once, and nothing is read or written."""
    refused: OSError = FileNotFoundError("no such file")
    for path in paths:
        try:
            os.close(os.open(path, flags | os.O_NOCTTY))
        except OSError as exc:
            refused = exc
            continue
        return path
    raise refused

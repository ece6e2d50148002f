"""How many cores this process may use: its affinity, cut down to its control group's quota."""

from __future__ import annotations

import math
import os

__all__ = ["usable_cores"]

_V1_FOLDERS = ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpuacct,cpu")


def usable_cores(
    root: str = "/sys/fs/cgroup", own: str = "/proc/self/cgroup", v1: tuple[str, ...] = _V1_FOLDERS
) -> int:
    """The cores that this process may use, at least one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quotas = [quota for quota in (_v2_quota(root, own), _v1_quota(own, v1)) if quota is not None]
    # A quota of 1.5 cores keeps two busy for most of the time.
    return max(1, min([cores, *(math.ceil(quota) for quota in quotas)]))


def _v2_quota(root: str, own: str) -> float | None:
    """The smallest quota of the process's group and those above it."""
    path = _group(own, "0::")
    if path is None:
        return None
    quotas = []
    while True:
        quotas.append(_quota_in(f"{root}{path.rstrip('/')}/cpu.max"))
        if path in ("", "/"):
            break
        path = os.path.dirname(path)
    return min((quota for quota in quotas if quota is not None), default=None)


def _v1_quota(own: str, folders: tuple[str, ...]) -> float | None:
    for folder in folders:
        for path in (_v1_path(own), ""):
            quota = _read(f"{folder}{path}/cpu.cfs_quota_us")
            period = _read(f"{folder}{path}/cpu.cfs_period_us")
            if quota is not None and period is not None:
                return _share(quota, period)
    return None


def _v1_path(own: str) -> str:
    for line in (_read(own) or "").splitlines():
        _, controllers, path = line.split(":", 2)
        if "cpu" in controllers.split(","):
            return path.rstrip("/")
    return ""


def _group(own: str, prefix: str) -> str | None:
    for line in (_read(own) or "").splitlines():
        if line.startswith(prefix):
            return line[len(prefix) :]
    return None


def _quota_in(path: str) -> float | None:
    words = (_read(path) or "").split()
    return _share(*words) if len(words) == 2 else None


def _share(quota: str, period: str) -> float | None:
    try:
        share = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):
        return None  # "max": no quota
    return share if share > 0 else None


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except (OSError, ValueError):
        return None

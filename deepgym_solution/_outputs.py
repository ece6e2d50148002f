"""read_output: files that the solution wrote, read as what they are and never through a trick.

The solution owns the folder, and may still be at work in it: any name may become a symlink, a FIFO or another
file between a check and its use. So nothing is checked by name. The file is opened first, in a way that
follows no symlink and never waits; then the open descriptor is examined, and only then read.
"""

import ctypes
import errno
import functools
import os
import stat
import sys

from deepgym_solution import _refused
from deepgym_solution.errors import SolutionError, exception_class

# Honest outputs are smaller; a larger one would only fill the judge's memory.
MAX_OUTPUT_BYTES = 64 * 1024 * 1024

# O_NONBLOCK: a FIFO without a writer opens at once. O_NOCTTY: a terminal does not become ours.
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | os.O_NOFOLLOW
# O_PATH asks for no right to list the folder. Systems without it have to open it for reading.
_FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW

# From linux/openat2.h; the number of the call is the same on every architecture.
_SYS_OPENAT2 = 437
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_NO_SYMLINKS = 0x04
_RESOLVE_BENEATH = 0x08

# openat2 is missing, forbidden by a seccomp filter, or lost a race with a rename: take the long way.
_TAKE_THE_LONG_WAY = {errno.ENOSYS, errno.EPERM, errno.EAGAIN, errno.EINVAL, errno.E2BIG}

# What the solution can bring about; other failures are the machine's and keep their own type.
_WHY = {
    errno.ELOOP: "is reached through a symlink",
    errno.EXDEV: "leads out of the folder",
    errno.ENOTDIR: "is reached through something that is not a folder",
    errno.ENXIO: "is not a regular file",
    errno.ENODEV: "is not a regular file",
    errno.EACCES: "may not be read",
    errno.EPERM: "may not be read",
    errno.ENAMETOOLONG: "has too long a name",
}

_MissingError = exception_class(["FileNotFoundError"])
_OutsideError = exception_class(["ValueError"])
_NotTextError = exception_class(["UnicodeDecodeError"])


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def read_output(
    path: str | os.PathLike[str], cwd: str | os.PathLike[str], *, limit_bytes: int = MAX_OUTPUT_BYTES
) -> str:
    """The text of a file that the solution wrote, as it is: line ends are not translated.

    Args:
        path: Relative to cwd, or absolute and inside it.
        cwd: The folder that run_solution() was given.
        limit_bytes: The most that the file may hold.

    Raises:
        SolutionError: As in read_output_bytes. Where the file is not UTF-8, it is also a UnicodeDecodeError.
        OSError: cwd cannot be opened, or the machine fails.
    """
    content = read_output_bytes(path, cwd, limit_bytes=limit_bytes)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _NotTextError(
            f"the output {_shown(path)} is not UTF-8 text: {error.reason} at byte {error.start}"
        ) from None


def read_output_bytes(
    path: str | os.PathLike[str], cwd: str | os.PathLike[str], *, limit_bytes: int = MAX_OUTPUT_BYTES
) -> bytes:
    """The bytes of a file that the solution wrote.

    Args:
        path: Relative to cwd, or absolute and inside it.
        cwd: The folder that run_solution() was given.
        limit_bytes: The most that the file may hold.

    Raises:
        SolutionError: The file is missing (then it is also a FileNotFoundError), is not inside cwd (also a
            ValueError), is not a regular file, is reached through a symlink, has a second name elsewhere (a
            hard link), or is larger than limit_bytes.
        OSError: cwd cannot be opened, or the machine fails.
    """
    name = _shown(path)
    parts = _parts(path, cwd)
    folder = os.open(cwd, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        descriptor = _open_beneath(folder, parts)
    except FileNotFoundError:
        refused = _why_refused(parts, cwd)
        if refused is not None:
            raise SolutionError(f"the output {name} {refused}") from None
        raise _MissingError(f"the output {name} does not exist") from None
    except OSError as error:
        if error.errno not in _WHY:
            raise
        raise SolutionError(f"the output {name} {_WHY[error.errno]}") from None
    finally:
        os.close(folder)
    try:
        return _read_regular(descriptor, name, limit_bytes)
    finally:
        os.close(descriptor)


def _parts(path: str | os.PathLike[str], cwd: str | os.PathLike[str]) -> list[str]:
    """The names that lead from cwd to the file, without `.` and `..`."""
    wanted = os.fspath(path)
    if os.path.isabs(wanted):
        for base in (os.path.abspath(cwd), os.path.realpath(cwd)):
            relative = os.path.relpath(wanted, base)
            if not _leads_out(relative):
                break
    else:
        # Names only: `a/..` is taken for nothing, whatever `a` is.
        relative = os.path.normpath(wanted)
    if _leads_out(relative) or "\0" in relative:
        raise _OutsideError(f"the output {_shown(path)} is not inside the solution's folder")
    return relative.split("/")


def _why_refused(parts: list[str], cwd: str | os.PathLike[str]) -> str | None:
    """Why run_solution left the file, or a folder on the way to it, in the box."""
    at = os.path.realpath(cwd)
    for number, part in enumerate(parts, start=1):
        at = os.path.join(at, part)
        what = _refused.reason(at)
        if what is not None:
            return f"is {what}" if number == len(parts) else f"is reached through {what}"
    return None


def _leads_out(relative: str) -> bool:
    return relative == ".." or relative.startswith("../")


def _shown(path: str | os.PathLike[str]) -> str:
    return repr(os.fspath(path)[:200])


def _open_beneath(folder: int, parts: list[str]) -> int:
    """Open a file below a folder without following any symlink."""
    try:
        return _open_at_once(folder, parts)
    except OSError as error:
        if error.errno not in _TAKE_THE_LONG_WAY:
            raise
    return _open_step_by_step(folder, parts)


def _open_at_once(folder: int, parts: list[str]) -> int:
    """Let the kernel walk, under the rule that nothing is followed and nothing leads out."""
    syscall = _syscall()
    if syscall is None:
        raise OSError(errno.ENOSYS, "no openat2 here")
    how = _OpenHow(_FLAGS, 0, _RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS)
    descriptor: int = syscall(
        ctypes.c_long(_SYS_OPENAT2),
        ctypes.c_long(folder),
        ctypes.c_char_p(os.fsencode("/".join(parts))),
        ctypes.byref(how),
        ctypes.c_size_t(ctypes.sizeof(how)),
    )
    if descriptor < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return descriptor


@functools.cache
def _syscall() -> "ctypes._FuncPointer | None":
    if sys.platform != "linux":
        return None
    return ctypes.CDLL(None, use_errno=True).syscall


def _open_step_by_step(folder: int, parts: list[str]) -> int:
    """Open each folder on the way from the one above it; none can be exchanged once it is open."""
    held = os.dup(folder)
    try:
        for part in parts[:-1]:
            below = os.open(part, _FOLDER_FLAGS, dir_fd=held)
            os.close(held)
            held = below
        return os.open(parts[-1], _FLAGS, dir_fd=held)
    finally:
        os.close(held)


def _read_regular(descriptor: int, name: str, limit_bytes: int) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise SolutionError(f"the output {name} is not a regular file")
    if status.st_nlink > 1:
        raise SolutionError(f"the output {name} is a hard link: the same file has another name")
    too_large = f"the output {name} is larger than the {limit_bytes:,} bytes it may hold"
    if status.st_size > limit_bytes:
        raise SolutionError(too_large)
    # The file may grow while it is read: one byte more than allowed shows it.
    with open(descriptor, "rb", buffering=0, closefd=False) as file:
        content = bytearray()
        while len(content) <= limit_bytes:
            chunk = file.read(min(limit_bytes + 1 - len(content), 1 << 20))
            if not chunk:
                return bytes(content)
            content += chunk
    raise SolutionError(too_large)

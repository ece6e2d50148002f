"""Attempts to use the kernel's large and dangerous interfaces.

Most hand over arguments that the kernel must reject: any answer but the refusal shows that the call got that far.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import signal
from typing import Any

_CLONE_NEWUSER = 0x10000000
_TIOCSTI = 0x5412
_GETPID_ON_X86 = 39
_X32 = 0x40000000


def system_call(bait: dict[str, Any], name: str, refusal: int, arguments: list[Any]) -> str:
    """Make a call; text stands for a pointer to it.

    Raises:
        OSError: It was refused in the way that a wall refuses, or the kernel does not have it.
    """
    if name not in bait["syscalls"]:
        raise OSError(errno.ENOSYS, "this kind of machine does not have the call")
    code = _errno_of(bait["syscalls"][name], arguments)
    if code in {refusal, errno.ENOSYS}:
        raise OSError(code, os.strerror(code))
    return "it went through" if code == 0 else f"the kernel looked at it: {errno.errorcode.get(code, code)}"


def unshare_user(bait: dict[str, Any]) -> str:
    return _in_child(lambda: _errno_of(bait["syscalls"]["unshare"], [_CLONE_NEWUSER]))


def clone_user(bait: dict[str, Any]) -> str:
    def clone() -> int:
        here = os.getpid()
        code = _errno_of(bait["syscalls"]["clone"], [_CLONE_NEWUSER | signal.SIGCHLD, 0])
        if os.getpid() != here:
            os._exit(0)
        return code

    return _in_child(clone)


def inject_input(_bait: dict[str, Any]) -> str:
    """Type into the terminal that the caller sits at. On what is no terminal the kernel says so."""
    libc = ctypes.CDLL(None, use_errno=True)
    read_end, write_end = os.pipe()
    os.close(write_end)
    try:
        libc.ioctl(read_end, ctypes.c_ulong(_TIOCSTI), ctypes.byref(ctypes.c_char(b" ")))
        code = ctypes.get_errno()
    finally:
        os.close(read_end)
    if code == errno.EPERM:
        raise OSError(code, os.strerror(code))
    return f"the kernel looked at it: {errno.errorcode.get(code, code)}"


def use_x32(bait: dict[str, Any]) -> str:
    if bait["machine"] != "x86_64":
        raise OSError(errno.ENOSYS, "only x86-64 has these numbers")
    code = _errno_of(_X32 | _GETPID_ON_X86, [])
    if code:
        raise OSError(code, os.strerror(code))
    return "getpid by its x32 number"


def use_32_bit_entry(bait: dict[str, Any]) -> str:
    """By int 0x80, whose numbers mean other calls than the 64-bit ones."""
    if bait["machine"] != "x86_64":
        raise OSError(errno.ENOSYS, "only x86-64 has this entry")

    def enter() -> int:
        page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov eax, 20 (getpid); int 0x80; ret
        address = ctypes.addressof(ctypes.c_char.from_buffer(page))
        return 0 if ctypes.CFUNCTYPE(ctypes.c_int)(address)() > 0 else errno.ENOSYS

    return _in_child(enter)


def _errno_of(number: int, arguments: list[Any]) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    kept = [ctypes.c_char_p(value.encode()) if isinstance(value, str) else value for value in arguments]
    passed = [ctypes.c_long(value) if isinstance(value, int) else value for value in kept]
    result = libc.syscall(ctypes.c_long(number), *passed)
    return ctypes.get_errno() if result == -1 else 0


def _in_child(work: Any) -> str:
    """Do it in a child, whose namespaces and fate are its own."""
    pid = os.fork()
    if pid == 0:
        os._exit(work() & 0xFF)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status < 0:
        raise OSError(errno.EPERM, f"ended by {signal.Signals(-status).name}")
    if status:
        raise OSError(status, os.strerror(status))
    return "it went through"

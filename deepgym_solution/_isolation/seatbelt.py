"""The macOS sandbox: from a policy to a sandbox-exec profile and the command line that applies it.

Pure: text in, text out, so it is tested on any machine; only running the command line needs macOS.

The profile denies everything and then allows what an interpreter needs. Later rules win over earlier ones,
so the denials that must hold whatever was allowed come last. Paths never appear in the profile's text: they
are passed as parameters (`-D`), so no name can end a string and add a rule. The kernel compares resolved
paths, and on macOS /tmp and /var are symlinks: resolve paths before they come here.

What this cannot give, beside namespaces: other processes of the user exist and are hidden only as far as
`process-info` goes, and named semaphores and shared memory of two solutions that agree on a name are one.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SANDBOX_EXEC = "/usr/bin/sandbox-exec"

# The dynamic loader, its shared cache, system libraries and time zones.
_SYSTEM_FOLDERS = (
    "/usr/lib",
    "/usr/share/zoneinfo",
    "/usr/share/locale",
    "/System/Library",
    "/System/Volumes/Preboot/Cryptexes",
    "/System/Cryptexes",
    "/private/var/db/dyld",
    "/private/var/db/timezone",
    "/Library/Apple/System/Library",
)
_SYSTEM_FILES = ("/private/etc/localtime", "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
# What shells and their tools need beside their own program, where programs may be started.
_PROGRAM_FOLDERS = ("/bin", "/usr/bin", "/sbin", "/usr/sbin")
# Facts about the machine; not the process table, which shows the arguments and environments of others.
_SYSCTL_PREFIXES = ("hw.", "machdep.cpu.")
_SYSCTL_NAMES = (
    "kern.argmax",
    "kern.maxfilesperproc",
    "kern.osproductversion",
    "kern.osrelease",
    "kern.ostype",
    "kern.osversion",
    "kern.secure_kernel",
    "kern.usrstack64",
    "kern.version",
    "vm.loadavg",
)


@dataclass(frozen=True, slots=True)
class SeatbeltPolicy:
    """What the sandboxed program may touch. All paths are absolute and resolved.

    Attributes:
        programs: What may be executed: the interpreter, and what it hands over to when it is a launcher.
        readable: Folders and files to read, beside the system's libraries.
        writable: Folders and files to read and write.
        allow_subprocess: It may start the programs of /bin and /usr/bin as well.
        allow_fork: It may start processes at all.
        loopback_port: The one TCP port of this machine that it may connect to.
    """

    programs: tuple[str, ...]
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    allow_subprocess: bool = False
    allow_fork: bool = True
    loopback_port: int | None = None


def is_available() -> bool:
    """Whether this machine has the sandbox."""
    return sys.platform == "darwin" and os.access(SANDBOX_EXEC, os.X_OK)


def build_argv(policy: SeatbeltPolicy, command: Sequence[str]) -> list[str]:
    """The command line that runs a command inside the sandbox.

    Args:
        policy: What the command may touch.
        command: The program, as listed in `policy.programs`, and its arguments.

    Raises:
        ValueError: A path is not absolute and normal, the command is not one of the policy's programs, or the
            port is none.
    """
    if not command or command[0] not in policy.programs:
        raise ValueError(f"the sandbox does not let {command[:1]!r} be executed: {policy.programs!r}")
    definitions = [f"-D{name}={path}" for name, path in _parameters(policy).items()]
    return [SANDBOX_EXEC, "-p", build_profile(policy), *definitions, "--", *command]


def build_profile(policy: SeatbeltPolicy) -> str:
    """The profile's text; its parameters are the definitions that `build_argv` adds.

    Raises:
        ValueError: A path is not absolute and normal, or the port is none.
    """
    for path in (*policy.programs, *policy.readable, *policy.writable):
        _check_path(path)
    port = policy.loopback_port
    if port is not None and not (type(port) is int and 0 < port < 65536):
        raise ValueError(f"not a port number: {port!r}")
    return "\n".join(_rules(policy)) + "\n"


def _rules(policy: SeatbeltPolicy) -> Iterator[str]:
    names = _parameters(policy)
    programs = [f"(literal {_parameter(name)})" for name in names if name.startswith("PROGRAM_")]
    readable = [f"(subpath {_parameter(name)})" for name in names if name.startswith("READ_")]
    writable = [f"(subpath {_parameter(name)})" for name in names if name.startswith("WRITE_")]
    ancestors = [f"(literal {_parameter(name)})" for name in names if name.startswith("ABOVE_")]
    system = [f'(subpath "{path}")' for path in _SYSTEM_FOLDERS] + [
        f'(literal "{path}")' for path in _SYSTEM_FILES
    ]

    yield "(version 1)"
    yield "(deny default)"
    # Names on the way to a readable file may be looked up, not listed.
    yield _rule("allow file-read-metadata", [*ancestors, '(literal "/")'])
    yield _rule("allow file-read*", [*system, *programs, *readable, *writable])
    yield _rule(
        "allow file-map-executable", [f'(subpath "{path}")' for path in _SYSTEM_FOLDERS] + programs + readable
    )
    yield _rule("allow file-write-data", ['(literal "/dev/null")', '(literal "/dev/zero")'])
    if writable:
        yield _rule("allow file-write*", writable)
    yield _rule("allow process-exec", programs)
    if policy.allow_subprocess:
        yield _rule("allow process-exec file-read*", [f'(subpath "{path}")' for path in _PROGRAM_FOLDERS])
    if policy.allow_fork or policy.allow_subprocess:
        yield "(allow process-fork)"
    yield "(allow process-info* (target self))"
    yield "(allow signal (target same-sandbox))"
    yield _rule(
        "allow sysctl-read",
        [f'(sysctl-name-prefix "{prefix}")' for prefix in _SYSCTL_PREFIXES]
        + [f'(sysctl-name "{name}")' for name in _SYSCTL_NAMES],
    )
    # The names that Python's multiprocessing gives.
    yield '(allow ipc-posix-sem (ipc-posix-name-prefix "/mp-"))'
    yield '(allow ipc-posix-shm* (ipc-posix-name-prefix "/psm_"))'
    if policy.loopback_port is not None:
        yield f'(allow network-outbound (remote tcp "localhost:{policy.loopback_port}"))'
    # Whatever was allowed above: no file left behind may lend its owner's rights.
    yield "(deny file-write-setugid)"


def _parameters(policy: SeatbeltPolicy) -> dict[str, str]:
    """Every path of the policy and every folder above one, under the name the profile knows it by."""
    paths = (*policy.programs, *policy.readable, *policy.writable)
    above = sorted({folder for path in paths for folder in _folders_above(path)})
    groups = (
        ("PROGRAM", policy.programs),
        ("READ", policy.readable),
        ("WRITE", policy.writable),
        ("ABOVE", above),
    )
    return {f"{name}_{number}": path for name, group in groups for number, path in enumerate(group)}


def _folders_above(path: str) -> Iterator[str]:
    folder = os.path.dirname(path)
    while folder not in {"/", ""}:
        yield folder
        folder = os.path.dirname(folder)


def _parameter(name: str) -> str:
    return f'(param "{name}")'


def _rule(head: str, filters: Sequence[str]) -> str:
    return f"({head}\n    " + "\n    ".join(filters) + ")"


def _check_path(path: str) -> None:
    if not path.startswith("/") or path == "/" or os.path.normpath(path) != path or "\0" in path:
        raise ValueError(f"not an absolute, normal path below /: {path!r}")

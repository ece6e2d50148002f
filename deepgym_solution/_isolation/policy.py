"""What a sealed process may use, as plain data.

The policy is decided by the judge and applied by trusted code in the process that becomes the solution, before its
first line runs. It holds numbers and flags only, so it crosses to the host as a tuple.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Policy:
    """Limits of one sealed process and all that it starts.

    Attributes:
        memory_bytes: Address space of each process, and resident memory of all of them together.
        cpu_s: CPU seconds of all of its processes together (the wall-clock limit is the judge's own).
        processes: Processes and threads at one time.
        open_files: Descriptors of each process.
        file_bytes: Largest file that can be written.
        tmp_bytes: Bytes in the private /tmp and /dev/shm together.
        tmp_inodes: Files and folders in the private /tmp.
        output_bytes: What it may print before it is stopped.
        allow_subprocess: It may start programs.
        loopback_port: The one port of its loopback that leads to the judge's, or None for no network at all.
    """

    memory_bytes: int = 2048 * MIB
    cpu_s: int = 60
    processes: int = 64
    open_files: int = 256
    file_bytes: int = 128 * MIB
    tmp_bytes: int = 256 * MIB
    tmp_inodes: int = 20_000
    output_bytes: int = 100 * MIB
    allow_subprocess: bool = False
    loopback_port: int | None = None

    def as_tuple(self) -> tuple[int | None, ...]:
        """The fields in order, as plain data for the wire."""
        return astuple(self)


POLICY_FIELDS = tuple(field.name for field in fields(Policy))


def parse_policy(values: object) -> Policy:
    """The policy that `as_tuple` rendered.

    Raises:
        ValueError: It is not a tuple of the right length and plain types.
    """
    if type(values) is not tuple or len(values) != len(POLICY_FIELDS):
        raise ValueError(f"a policy is a tuple of {len(POLICY_FIELDS)} values")
    *numbers, allow_subprocess, port = values
    if any(type(number) is not int or number < 1 for number in numbers):
        raise ValueError("a policy's limits are positive integers")
    if type(allow_subprocess) is not bool or not (port is None or (type(port) is int and 0 < port < 65536)):
        raise ValueError("allow_subprocess is a bool, loopback_port None or a port number")
    return Policy(**dict(zip(POLICY_FIELDS, values, strict=True)))

"""What a place to run has to offer: the `Backend` and `Box` contract.

A backend makes boxes; a box takes files, runs one program as its own superuser and
gives files back. That is all. Who may do what inside the box, how long the solution
may take and how it ended is decided by the runner that is uploaded into it (see
`deepgym.backends.remote`), so that no verdict depends on how a provider reports exit
codes, signals, timeouts or text.

To add a backend, implement the two classes and register the backend's class under
the entry-point group `deepgym.backends`; `deepgym conformance --mode NAME` says
whether it keeps the promises. What an implementation must hold to:

- Every box has no network, and carries `BoxSpec.labels` from the moment it exists.
- Every failure of the provider is a `SandboxInfraError`; anything else that escapes is
  a defect of the backend, and is treated as `protocol`.
- No call returns much later than its deadline, and a call that was given up leaves no
  box behind.
- A request that the provider's client sends twice must not create two boxes that live on.
"""

import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from deepgym.backends._deadline import Deadline
from deepgym.errors import BackendUnavailableError, SandboxInfraError

__all__ = [
    "Backend",
    "BackendUnavailableError",
    "Box",
    "BoxSpec",
    "Deadline",
    "ExecResult",
    "File",
    "Grade",
    "Program",
    "SandboxInfraError",
    "is_swept",
]

# The grades of isolation a box can give, strongest first.
Grade = Literal["vm", "container", "sealed", "seatbelt", "process"]

# Every box carries these labels; a sweep finds boxes by them.
LABEL_BOX = "deepgym-box"
LABEL_NAME = "deepgym-name"
LABEL_OWNER = "deepgym-owner"
LABEL_EXPIRES = "deepgym-expires"

# The wall clocks of two machines that share an account may differ, and a clock may jump: a box is an
# orphan for others only this long after the end of its life.
ORPHAN_GRACE_S = 600.0


@dataclass(frozen=True)
class BoxSpec:
    """What a box must be. The network is not a choice: there is none.

    Attributes:
        owner: Who makes the box: one value per client, so that it can sweep its own.
        image: Image, template or snapshot; the backend's default when None.
        cpus: Processor cores.
        memory_mb: Memory in MiB.
        disk_mb: Bound of the writable folders in MiB, where the provider has one.
        pids: Most processes and threads at once, where the provider has a bound.
        ttl_s: The provider itself ends the box after so long, whatever becomes of us.
        name: This box and no other: one that was created while nobody could see it is found by it.
        created_at: Wall clock, for the label that tells orphans from boxes in use.
    """

    owner: str
    image: str | None = None
    cpus: float = 1.0
    memory_mb: int = 1024
    disk_mb: int = 256
    pids: int = 256
    ttl_s: int = 900
    name: str = field(default_factory=lambda: f"deepgym-{uuid.uuid4().hex}")
    created_at: float = field(default_factory=time.time)

    @property
    def labels(self) -> dict[str, str]:
        """What the box is labelled with before it exists."""
        expires = int(self.created_at + self.ttl_s)
        return {
            LABEL_BOX: "1",
            LABEL_NAME: self.name,
            LABEL_OWNER: self.owner,
            LABEL_EXPIRES: str(expires),
        }


@dataclass(frozen=True)
class File:
    """A file to be put into a box: an absolute path, its bytes and its mode; it belongs to the superuser."""

    path: str
    content: bytes
    mode: int = 0o600


@dataclass(frozen=True)
class ExecResult:
    """How a program in a box ended, as far as the provider says.

    Attributes:
        exit_code: None if the provider did not say.
        stdout: What it wrote, at most the limit that was given.
        stderr: The same; providers that mix the two streams put all of it into stdout.
        truncated: Whether more was written than was kept.
    """

    exit_code: int | None
    stdout: bytes
    stderr: bytes = b""
    truncated: bool = False


class Program(ABC):
    """A program that was started in a box and waits for what it is to do."""

    @abstractmethod
    async def finish(self, stdin: bytes, deadline: Deadline, *, output_limit_bytes: int) -> ExecResult:
        """Send it its input, once, and wait for its end.

        Raises:
            SandboxInfraError: What became of it is not known.
        """


class Box(ABC):
    """One box: made by a backend, used, destroyed."""

    id: str

    @abstractmethod
    async def put(self, files: Sequence[File], deadline: Deadline) -> None:
        """Write files, and the folders they are in (mode 0700, the superuser's).

        Only called while no untrusted code has run in the box.

        Raises:
            SandboxInfraError: They could not be written, or not in time.
        """

    @abstractmethod
    async def exec(self, argv: Sequence[str], deadline: Deadline, *, output_limit_bytes: int) -> ExecResult:
        """Run one program as the box's superuser, with nothing on its standard input, and wait for its end.

        Args:
            argv: Program and arguments; no shell reads them.
            deadline: When to give up. The box may not be used after that.
            output_limit_bytes: How much of each stream is kept, and held in memory at most.

        Raises:
            SandboxInfraError: The program could not be started, or what became of it is
                not known.
        """

    async def start(self, argv: Sequence[str], deadline: Deadline) -> Program | None:  # noqa: ARG002  # a hook
        """Start a program ahead of time, whose input comes later; None where the provider cannot.

        A box that can do this has its runner waiting before there is a job.

        Raises:
            SandboxInfraError: It could not be started.
        """
        return None

    @abstractmethod
    async def get(self, path: str, deadline: Deadline, *, limit_bytes: int) -> bytes:
        """Read one file as the box's superuser.

        Raises:
            FileNotFoundError: There is no such file.
            SandboxInfraError: It is larger than the limit, or could not be read in time.
        """

    @abstractmethod
    async def alive(self, deadline: Deadline) -> bool:
        """Whether the provider says that the box still runs; False also when it cannot be asked."""

    @abstractmethod
    async def destroy(self, deadline: Deadline) -> None:
        """End the box and everything in it. To destroy it again does nothing.

        Raises:
            SandboxInfraError: The provider could not be told; a later sweep will find the box.
        """


class Backend(ABC):
    """A place to run. Making one reads its settings and opens no connection.

    Raises:
        BackendUnavailableError: From the constructor, when the package, a program or the
            credentials are missing; it says which, and what to do.
    """

    name: ClassVar[str]
    grade: ClassVar[Grade]
    # Its boxes share this machine's processors, so that a run may have to wait for a core.
    shares_machine: ClassVar[bool] = False

    @abstractmethod
    async def check(self, deadline: Deadline) -> str:
        """What was reached, in a few words ("docker engine 27.1 at unix:///...").

        Raises:
            BackendUnavailableError: It cannot be reached, or refuses the credentials.
        """

    @abstractmethod
    async def create(self, spec: BoxSpec, deadline: Deadline) -> Box:
        """Make a box and wait until it can be used.

        Raises:
            SandboxInfraError: It could not be made, or not in time; nothing is left of it.
        """

    @abstractmethod
    async def sweep(self, deadline: Deadline, *, where: Mapping[str, str] | None = None) -> int:
        """Destroy boxes that were left behind, and say how many.

        Args:
            deadline: When to stop.
            where: Destroy all boxes that carry these labels; without, those of any owner
                whose life is over.

        Raises:
            SandboxInfraError: The provider could not be asked.
        """

    async def close(self) -> None:  # noqa: B027  # a backend that holds no connection has nothing to close
        """Close connections. The backend can be used again: it opens new ones."""


def is_swept(labels: Mapping[str, str], where: Mapping[str, str] | None, *, now: float) -> bool:
    """Whether a sweep concerns a box with these labels; a box without our own label is never swept."""
    if labels.get(LABEL_BOX) != "1":
        return False
    if where is not None:
        return where.items() <= labels.items()
    expires = labels.get(LABEL_EXPIRES, "")
    return expires.isdecimal() and now > int(expires) + ORPHAN_GRACE_S

"""The program that runs one job inside a box: uploaded as one file, with all that it needs of ours.

Theory of operation. It runs as the box's root, and what it starts are the same two hosts as on a local machine, except
that each judge and each solution becomes a user of its own instead of getting namespaces. In order, it

    sees to its own files (nobody but root and judges may enter the folder), and that there is no network
    starts the hosts, before it has read anything that is secret
    says "ready", reads the job (from its standard input, or a file), and claims it
    runs it, and writes one frame: the outcome, authenticated with the job's nonce.

The claim is a file that can be made only once: a provider's client that sends a request a second time does not run the
solution twice. The nonce came with the job, and no solution's process ever held it. Everything that is not a whole
frame with a right authentication is no outcome, whatever else was printed and however this program ended.

Standard library, `deepgym_solution` and `deepgym._judge` only; for Python 3.11 and later.
"""

from __future__ import annotations

import base64
import hmac
import os
import select
import socket
import struct
import sys
import tempfile
import time
from dataclasses import dataclass, fields
from typing import BinaryIO

FOLDER = "/deepgym"
PROGRAM = f"{FOLDER}/runner.pyz"

READY = b"deepgym-ready"
FRAME = b"deepgym-frame"
CLEAN = b"deepgym-clean"

# Asked so, the program only says whether nothing is left of the jobs that ran in the box before.
ASK_CLEAN = "--is-clean"

# Judges become users of this group, and find our code by it.
_JUDGE_GID = 40_000

_HEAD = struct.Struct(">32s16sIQI")

# Judges and solutions of a job that has just ended may take this long to be gone.
_CLEAN_S = 3.0

# A connection out would be made within this time, or the network is closed.
_PROBE_S = 0.7
DEFAULT_PROBES = (("1.1.1.1", 443), ("8.8.8.8", 53))


@dataclass(frozen=True, slots=True)
class Envelope:
    """A job on its way into a box.

    Attributes:
        nonce: 32 bytes that authenticate the outcome.
        job_id: 16 bytes that name the job for its claim.
        output_bytes: How much of each stream of the verifier to send back.
        job: The job, encoded.
        probes: Addresses that must not be reachable.
    """

    nonce: bytes
    job_id: bytes
    output_bytes: int
    job: bytes
    probes: tuple[tuple[str, int], ...] = DEFAULT_PROBES


def encode_envelope(envelope: Envelope) -> bytes:
    """The envelope as bytes that know their own length."""
    probes = ",".join(f"{host}:{port}" for host, port in envelope.probes).encode()
    head = _HEAD.pack(envelope.nonce, envelope.job_id, envelope.output_bytes, len(envelope.job), len(probes))
    return head + probes + envelope.job


def read_envelope(source: BinaryIO) -> Envelope:
    """The envelope that `encode_envelope` wrote.

    Raises:
        EOFError: It did not arrive whole.
    """
    nonce, job_id, output_bytes, job_length, probes_length = _HEAD.unpack(_exactly(source, _HEAD.size))
    words = _exactly(source, probes_length).decode().split(",")
    pairs = [word.rpartition(":") for word in words if word]
    probes = tuple((host, int(port)) for host, _, port in pairs)
    return Envelope(nonce, job_id, output_bytes, _exactly(source, job_length), probes)


def _exactly(source: BinaryIO, count: int) -> bytes:
    data = source.read(count)
    if len(data) != count:
        raise EOFError("the job did not arrive whole")
    return data


def encode_frame(nonce: bytes, payload: bytes) -> bytes:
    """One line of text that only somebody with the nonce can write."""
    return FRAME + b" " + _mac(nonce, payload) + b" " + base64.b64encode(payload) + b"\n"


def find_frame(nonce: bytes, output: bytes) -> bytes | None:
    """The payload of the one authentic frame in what the program printed; None when there is none."""
    for line in output.splitlines():
        words = line.split(b" ")
        if len(words) == 3 and words[0] == FRAME:
            try:
                payload = base64.b64decode(words[2], validate=True)
            except ValueError:
                continue
            if hmac.compare_digest(words[1], _mac(nonce, payload)):
                return payload
    return None


def _mac(nonce: bytes, payload: bytes) -> bytes:
    return hmac.new(nonce, payload, "sha256").hexdigest().encode()


def main(arguments: list[str]) -> int:
    """Run the job in the file that is named, or, without one, the job on standard input."""
    _require_root()
    _close_folder()
    os.umask(0o022)
    if arguments == [ASK_CLEAN]:
        return _say_whether_clean()
    from deepgym.backends.local.hosts import HostPair, Way  # noqa: PLC0415 - refuse to run first, then load
    from deepgym_solution._process import HostError  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="deepgym-cwd-") as empty:
        os.chdir(empty)
        try:
            pair = HostPair(Way("container", "a user of its own for each solution", None, "users"))
        except HostError as exc:
            sys.exit(f"no solution can be started in this box: {exc}")
        code = _serve(pair, arguments)
        sys.stderr.flush()
        # The hosts end by themselves when this process has ended: nobody waits for them.
        os._exit(code)


def _serve(pair: object, arguments: list[str]) -> int:
    _write(READY + b"\n")
    if arguments:
        with open(arguments[0], "rb") as source:
            envelope = read_envelope(source)
        os.unlink(arguments[0])
    else:
        envelope = read_envelope(sys.stdin.buffer)
    if not _claim(envelope.job_id):
        sys.stderr.write("this job has been claimed already: it is not run a second time\n")
        return 3
    open_address = _open_address(envelope.probes)
    if open_address is not None:
        payload = _failure(f"the box has a network: {open_address} can be reached from it")
    else:
        payload = _judge(pair, envelope)
    _write(encode_frame(envelope.nonce, payload))
    return 0


def _judge(pair: object, envelope: Envelope) -> bytes:
    from deepgym._judge.job import decode_job  # noqa: PLC0415
    from deepgym.backends.local.hosts import HostPair  # noqa: PLC0415
    from deepgym.backends.local.runs import LocalRun  # noqa: PLC0415
    from deepgym_solution._process import HostError  # noqa: PLC0415

    assert isinstance(pair, HostPair)
    try:
        with LocalRun(pair, decode_job(envelope.job), output_bytes=envelope.output_bytes) as run:
            return encode_outcome(run.wait())
    except HostError as exc:
        return _failure(str(exc))


def encode_outcome(outcome: object) -> bytes:
    """An `Outcome` as bytes."""
    from deepgym._judge.job import Outcome, encode_report  # noqa: PLC0415
    from deepgym_solution._child import wire  # noqa: PLC0415

    assert isinstance(outcome, Outcome)
    values = {item.name: getattr(outcome, item.name) for item in fields(Outcome)}
    if outcome.report is not None:
        values["report"] = encode_report(outcome.report)
    return wire.encode_value(values)


def _failure(detail: str) -> bytes:
    from deepgym._judge.job import Outcome  # noqa: PLC0415

    return encode_outcome(Outcome("lost", detail=detail))


def _require_root() -> None:
    if os.geteuid() != 0:
        sys.exit(f"the runner needs to be root in its box, and is user {os.geteuid()}")
    # The box's Python is not the one that this project was installed with.
    if sys.version_info < (3, 11):  # noqa: UP036
        sys.exit(f"the runner needs Python 3.11 or later in its box, and this is {sys.version.split()[0]}")


def _close_folder() -> None:
    for path, mode in ((FOLDER, 0o710), (PROGRAM, 0o640)):
        os.chown(path, 0, _JUDGE_GID)
        os.chmod(path, mode)


def _say_whether_clean() -> int:
    """Wait a little for what runs as a judge or solution to end; 0 and a word when nothing is left, files included."""
    from deepgym_solution import _users  # noqa: PLC0415
    from deepgym_solution._child import seal  # noqa: PLC0415

    deadline = time.monotonic() + _CLEAN_S
    uids = range(seal.SOLUTION_UIDS[0], seal.JUDGE_UIDS[1])
    while left := _users.left_by(uids):
        if time.monotonic() > deadline:
            sys.stderr.write(f"something is left of an earlier job: {left[:5]}\n")
            return 4
        time.sleep(0.02)
    _write(CLEAN + b"\n")
    return 0


def _claim(job_id: bytes) -> bool:
    """Whether this is the first to ask for this job in this box."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
    try:
        os.close(os.open(f"{FOLDER}/claimed-{job_id.hex()}", flags, 0o600))
    except FileExistsError:
        return False
    return True


def _open_address(probes: tuple[tuple[str, int], ...]) -> str | None:
    """The first address that can be connected to; None when the network is closed, as it has to be."""
    if not _has_interfaces():
        return None
    pending: dict[socket.socket, str] = {}
    poller = select.poll()
    try:
        for host, port in probes:
            probe = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            probe.setblocking(False)
            pending[probe] = f"{host}:{port}"
            probe.connect_ex((host, port))
            poller.register(probe, select.POLLOUT)
        for _ in pending:
            for fd, _event in poller.poll(_PROBE_S * 1000):
                poller.unregister(fd)
                probe = next(each for each in pending if each.fileno() == fd)
                if probe.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
                    return pending[probe]
    finally:
        for probe in pending:
            probe.close()
    return None


def _has_interfaces() -> bool:
    """Whether there is any network device but the loopback."""
    try:
        with open("/proc/net/dev", encoding="ascii") as handle:
            names = [line.split(":")[0].strip() for line in handle.readlines()[2:]]
    except OSError:
        return True
    return any(name != "lo" for name in names)


def _write(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]

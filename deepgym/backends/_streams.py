"""Files through a program's standard streams, for boxes whose provider can run programs with input.

The programs are a few lines of Python, since a box that can run a verifier has Python and
may have little else.
"""

from collections.abc import Sequence

from deepgym.backends.base import File

# Reads from standard input, for each file: a line "MODE SIZE PATH", then its bytes; an empty line ends
# them, since not every connection can be closed in one direction only.
UNPACK = r"""
import os, sys
source = sys.stdin.buffer
while (head := source.readline()) != b"\n":
    if not head:
        sys.exit("the files did not arrive whole")
    mode, size, path = head.decode("utf-8", "surrogateescape")[:-1].split(" ", 2)
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    content = source.read(int(size))
    if len(content) != int(size):
        sys.exit("the files did not arrive whole")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:
        target.write(content)
    os.chmod(path, int(mode, 8))
"""

# Writes one file to standard output, one byte more than the limit at most.
READ = """\
import sys
try:
    source = open(sys.argv[1], "rb")
except (FileNotFoundError, NotADirectoryError):
    sys.exit(44)
with source:
    content = source.read(int(sys.argv[2]) + 1)
if sys.argv[3] == "text":
    import base64
    content = base64.b64encode(content)
sys.stdout.buffer.write(content)
"""
READ_MISSING_EXIT = 44


def unpack_argv() -> list[str]:
    """The program that writes the files it is sent on its standard input."""
    return ["python3", "-c", UNPACK]


def pack(files: Sequence[File]) -> bytes:
    """What `unpack_argv`'s program has to be sent."""
    pieces = []
    for file in files:
        if not file.path.startswith("/") or "\n" in file.path or "\0" in file.path:
            raise ValueError(f"not an absolute path on one line: {file.path!r}")
        head = f"{file.mode:o} {len(file.content)} {file.path}\n"
        pieces += [head.encode("utf-8", "surrogateescape"), file.content]
    return b"".join([*pieces, b"\n"])


def read_argv(path: str, limit_bytes: int, *, as_text: bool = False) -> list[str]:
    """The program that writes a file to its standard output, as base64 where only text comes back."""
    return ["python3", "-c", READ, path, str(limit_bytes), "text" if as_text else "bytes"]

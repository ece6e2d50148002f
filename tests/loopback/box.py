"""A machine for the loopback servers: a folder as `/`, its own namespaces, real users, processes that stay.

    bwrap (holder, as root) ── cat < a pipe of ours        the box lives as long as the pipe is open
    nsenter into the holder ── setpriv to a user ── program     one for every program that is run

All programs of a box share its process namespace, as in a real box: what one leaves behind, the
next one meets. When the pipe closes (or the test process dies, which closes it), the namespace ends and
everything in it with it.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

PASSWD = """root:x:0:0:root:/root:/bin/sh
user:x:1000:1000:user:/home/user:/bin/sh
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
"""
GROUP = "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n"
USERS = {"root": (0, "/root"), "user": (1000, "/home/user")}

# What root may do in a provider's box, as far as the runner needs it; never more of the test machine.
CAPABILITIES = "+chown,+dac_override,+fowner,+kill,+setgid,+setuid,+setpcap,+net_bind_service"


def why_boxes_cannot_run() -> str | None:
    """The reason why this machine cannot run such boxes, or None."""
    for program in ("bwrap", "nsenter", "setpriv"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    if os.geteuid() != 0:
        return "boxes with several users need root"
    if not Path("/usr/bin/python3").exists():
        return "there is no /usr/bin/python3 to run inside a box"
    return None


@dataclass
class Box:
    """One box; `start` it, run programs in it, `kill` it."""

    id: str
    network: bool = False
    labels: dict = field(default_factory=dict)
    python: bool = True
    user: str = "root"
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="loopback-box-")))
    holder: subprocess.Popen | None = None
    holder_pid: int = 0
    programs: list = field(default_factory=list)
    # What was in /var/marks/ran when the box ended: tests leave marks there.
    mark: str = ""

    def start(self) -> "Box":
        root = self.folder / "root"
        for name, mode in {
            "root": 0o700,
            "home": 0o755,
            "etc": 0o755,
            "tmp": 0o1777,
            "var": 0o755,
            "var/tmp": 0o1777,
            "var/marks": 0o777,
            "usr": 0o755,
        }.items():
            (root / name).mkdir(parents=True, exist_ok=True)
            (root / name).chmod(mode)
        self.folder.chmod(0o755)
        root.chmod(0o755)
        home = root / "home/user"
        home.mkdir(exist_ok=True)
        os.chown(home, 1000, 1000)
        (root / "etc/passwd").write_text(PASSWD)
        (root / "etc/group").write_text(GROUP)
        shutil.copy("/etc/ld.so.cache", root / "etc/ld.so.cache")
        argv = ["bwrap", "--bind", str(root), "/"]
        argv += ["--ro-bind", "/usr", "/usr"]
        if not self.python:
            argv += ["--ro-bind", "/dev/null", str(Path("/usr/bin/python3").resolve())]
        for name in ("bin", "sbin", "lib", "lib64"):
            argv += ["--symlink", f"usr/{name}", f"/{name}"]
        argv += ["--proc", "/proc", "--dev", "/dev", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
        argv += [] if self.network else ["--unshare-net"]
        read_end, write_end = os.pipe()
        argv += ["--info-fd", str(write_end), "--", "/bin/sh", "-c", "echo ready; exec cat >/dev/null"]
        self.holder = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[write_end]
        )
        os.close(write_end)
        with os.fdopen(read_end) as info:
            self.holder_pid = json.load(info)["child-pid"]
        # The pid is known before the box's mounts are made; its own first program runs after that.
        if self.holder.stdout.readline() != b"ready\n":
            raise RuntimeError("the box did not start")
        return self

    @property
    def alive(self) -> bool:
        return self.holder is not None and self.holder.poll() is None

    def popen(
        self, argv, *, user="root", cwd=None, env=None, stdin=subprocess.DEVNULL, merge=False, streams=None
    ) -> subprocess.Popen:
        """Start a program in the box; its output goes to pipes, one for both on request, or to these streams."""
        uid, home = USERS[user]
        enter = ["nsenter", f"--target={self.holder_pid}", "--mount", "--pid", "--ipc", "--uts", "--net"]
        become = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--inh-caps=-all"]
        become += [f"--bounding-set=-all,{CAPABILITIES}"]
        full_env = {"PATH": "/usr/bin:/bin", "HOME": home, "USER": user, "LOGNAME": user, **(env or {})}
        stdout, stderr = streams or (subprocess.PIPE, subprocess.STDOUT if merge else subprocess.PIPE)
        program = subprocess.Popen(
            [*enter, f"--wdns={cwd or home}", "--", *become, "--", *argv],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=full_env,
            start_new_session=True,
        )
        self.programs.append(program)
        return program

    def run(self, argv, **how) -> tuple[int, bytes, bytes]:
        """Run a program to its end: its exit code (128+n for signal n), stdout, stderr."""
        data = how.pop("data", None)
        if data is not None:
            how["stdin"] = subprocess.PIPE
        program = self.popen(argv, **how)
        out, err = program.communicate(data)
        return shell_code(program.returncode), out, err or b""

    def write(self, path: str, content: bytes, *, user: str = "root", mode: int = 0o644) -> None:
        """Write a file as the providers' file services do: as root, parents made, then given to a user."""
        uid, _ = USERS[user]
        folder = os.path.dirname(path)
        script = f'umask 022; mkdir -p "$1" && cat > "$2" && chmod {mode:o} "$2" && chown {uid}:{uid} "$2"'
        code, _, err = self.run(["/bin/sh", "-c", script, "sh", folder, path], data=content, cwd="/")
        if code:
            raise OSError(err.decode(errors="replace"))

    def read(self, path: str) -> bytes:
        """Read a file as root.

        Raises:
            FileNotFoundError: There is none.
        """
        code, out, _ = self.run(["/bin/sh", "-c", 'test -f "$1" && exec cat "$1"', "sh", path], cwd="/")
        if code:
            raise FileNotFoundError(path)
        return out

    def processes(self) -> list[str]:
        """What runs in the box, but for its holder and the asking itself."""
        _, out, _ = self.run(["/bin/sh", "-c", "cat /proc/[0-9]*/comm"], cwd="/")
        return sorted(set(out.decode().split()) - {"bwrap", "cat", "sh", "setpriv", "nsenter"})

    def kill(self) -> None:
        """End the box and everything in it."""
        holder, self.holder = self.holder, None
        if holder is not None:
            holder.stdin.close()
            holder.stdout.close()
            holder.kill()
            holder.wait()
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.holder_pid, signal.SIGKILL)
        for program in self.programs:
            with contextlib.suppress(subprocess.TimeoutExpired):
                program.wait(5)
            if program.stdin is not None:
                with contextlib.suppress(BrokenPipeError):
                    program.stdin.close()
        self.mark = self.mark or _text(self.folder / "root/var/marks/ran")
        shutil.rmtree(self.folder, ignore_errors=True)


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""


def kill_program(program: subprocess.Popen, *, tree: bool) -> None:
    """Kill a program that `Box.popen` started: the program only, or everything in its session's group."""
    children = Path(f"/proc/{program.pid}/task/{program.pid}/children")
    try:
        pids = [int(pid) for pid in children.read_text().split()]
    except FileNotFoundError:
        pids = []
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if tree:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)


def shell_code(returncode: int) -> int:
    """A Popen's return code as a shell says it."""
    return returncode if returncode >= 0 else 128 - returncode

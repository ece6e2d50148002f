"""Inside a box each judge and each solution is a user of its own: what it may not do, and what is left of it."""

import os
import sys
import time
from pathlib import Path

import pytest

from deepgym.backends.local.hosts import HostPair, Way
from deepgym.backends.local.runs import LocalRun
from deepgym.jobs import JobMaker, RunContext, make_result
from deepgym.models import Environment
from tests.support import require

CALL = "from deepgym_solution import load_solution\nsol = load_solution(solution_path)\n"
RUN = "from deepgym_solution import run_solution, read_output\nimport tempfile, pathlib\n"


@pytest.fixture(scope="module")
def pair():
    require("bwrap", None if os.geteuid() == 0 else "giving solutions users of their own needs root")
    python = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    with pytest.MonkeyPatch.context() as patch:
        if os.path.exists(python):
            # This interpreter's library may lie where only root gets in, which is not so in a box.
            patch.setattr(sys, "executable", python)
        pair = HostPair(Way("container", "users", None, "users"))
    yield pair
    pair.close()


def judge(pair, verifier, solution, **options):
    env = Environment(task="t", verifier_code=verifier, **options)
    job = JobMaker().make(env, solution, case_seed=1)
    with LocalRun(pair, job, output_bytes=1 << 20) as run:
        outcome = run.wait()
    result = make_result(env, job, outcome, RunContext("docker", "container"))
    assert result.has_verdict, (result.details, result.stderr, outcome.detail)
    return result


def test_a_right_and_a_wrong_answer_are_told_apart(pair):
    verifier = CALL + "return sol.f(3) == 4"
    assert judge(pair, verifier, "def f(x): return x + 1").score == 1.0
    assert judge(pair, verifier, "def f(x): return x").score == 0.0


def test_judge_and_solution_are_two_users_and_neither_is_root(pair):
    verifier = CALL + "import os\nreturn {'score': 1.0, 'details': f'{os.getuid()} {sol.uid()}'}"
    words = judge(pair, verifier, "import os\ndef uid(): return os.getuid()").details.split()
    judge_uid, solution_uid = map(int, words)
    assert 40_000 <= judge_uid < 60_000
    assert 20_000 <= solution_uid < 40_000


def test_a_traceback_names_the_solutions_file_as_everywhere_else(pair):
    verifier = CALL + "return sol.f()"
    result = judge(pair, verifier, "def f(): raise ValueError('no')")
    assert 'File "/tmp/solution/solution.py", line 1, in f' in result.details


def test_every_solution_is_another_user(pair):
    verifier = CALL + "other = load_solution(solution_path)\nreturn sol.uid() != other.uid()"
    assert judge(pair, verifier, "import os\ndef uid(): return os.getuid()").score == 1.0


def test_a_solution_has_no_capability_and_can_gain_none(pair):
    verifier = CALL + "return {'score': 1.0, 'details': sol.status()}"
    status = judge(pair, verifier, "def status(): return open('/proc/self/status').read()").details
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert {fields[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert fields["NoNewPrivs"] == "1"
    assert fields["Seccomp"] == "2"
    assert fields["Groups"].strip() == ""


ATTACKS = {
    "read the verifier": "return open('/proc/%d/cwd/verifier.py' % os.getppid()).read()",
    "look for the judge's folder": "return [open(p).read() for p in glob.glob('/tmp/deepgym-*/tmp/judge/*')][0]",
    "look into the judge": "return open('/proc/%d/environ' % judge).read()",
    "kill the judge": "os.kill(judge, 9); return 'killed'",
    "trace the judge": "c = ctypes.CDLL(None); return None if c.ptrace(16, judge, 0, 0) else 'traced'",
    "become root": "os.setuid(0); return 'root'",
    "open a socket": "return str(socket.create_connection(('127.0.0.1', 1)))",
    "import the judge's code": "import deepgym; return deepgym.__file__",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_wall_between_users_stops(pair, attack):
    verifier = (
        CALL
        + "import os\nfrom deepgym_solution import SolutionError\ntry:\n    got = sol.attack(os.getpid())\n"
        + "except SolutionError as error:\n    got = None\nreturn {'score': float(got is None), 'details': repr(got)}"
    )
    source = f"import ctypes, glob, os, socket\ndef attack(judge):\n    {ATTACKS[attack]}\n"
    result = judge(pair, verifier, source)
    assert result.score == 1.0, result.details


def test_the_attacks_are_ones_that_work_without_the_wall():
    """The control: run by the judge's own user, reading and killing do work."""
    pid = os.getpid()
    assert Path(f"/proc/{pid}/environ").read_bytes() is not None
    os.kill(pid, 0)


def test_what_a_solution_leaves_running_is_killed_and_its_files_are_removed(pair, tmp_path):
    source = (
        "import os, time\n"
        "def f():\n"
        "    open('/tmp/left-by-a-solution', 'w').write('x')\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        if os.fork() == 0:\n"
        "            time.sleep(600)\n"
        "        os._exit(0)\n"
        "    return os.getuid()\n"
    )
    verifier = CALL + "return {'score': 1.0, 'details': str(sol.f())}"
    uid = int(judge(pair, verifier, source).details)

    def left():
        owned = [path for path in Path("/tmp").iterdir() if path.lstat().st_uid == uid]
        running = []
        for path in Path("/proc").glob("[0-9]*/status"):
            try:
                if f"\nUid:\t{uid}\t" in path.read_text():
                    running.append(path)
            except OSError:
                continue
        return owned + running

    deadline = time.monotonic() + 5
    while left() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert left() == []


def test_a_program_sees_its_folder_and_what_it_wrote_comes_back(pair):
    verifier = RUN + (
        "folder = pathlib.Path(tempfile.mkdtemp())\n"
        "(folder / 'in.txt').write_text('5')\n"
        "done = run_solution(solution_path, [str(folder / 'in.txt')], cwd=folder)\n"
        "return {'score': float(read_output('out.txt', folder) == '5!'), 'details': done.stderr}"
    )
    source = "import sys\nopen('out.txt', 'w').write(open(sys.argv[1]).read() + '!')\n"
    result = judge(pair, verifier, source)
    assert result.score == 1.0, result.details


def test_the_verifiers_port_is_the_only_one_that_a_solution_reaches(pair):
    verifier = RUN + (
        "import http.server, threading, socket\n"
        "server = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)\n"
        "threading.Thread(target=server.serve_forever, daemon=True).start()\n"
        "done = run_solution(solution_path, [str(server.server_port)], loopback_port=server.server_port)\n"
        "return {'score': float(done.stdout.strip() == '200 closed'), 'details': done.stdout + done.stderr}"
    )
    source = (
        "import socket, sys, urllib.request\n"
        "print(urllib.request.urlopen(f'http://127.0.0.1:{sys.argv[1]}/').status, end=' ')\n"
        "try:\n    socket.create_connection(('127.0.0.1', 22), 1); print('open')\n"
        "except OSError: print('closed')\n"
    )
    result = judge(pair, verifier, source)
    assert result.score == 1.0, result.details

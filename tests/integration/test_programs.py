"""run_solution: a solution that is a program, the folder it works in, and what is left of it."""

import shutil

import pytest

from tests.integration.judging import check, run


def test_output_exit_code_arguments_and_input(each_dg):
    check(
        each_dg,
        """
        import sys
        print(sys.argv[1:], __name__)
        sys.stdout.write(sys.stdin.read().upper())
        print("wrong", file=sys.stderr)
        sys.exit(4)
        """,
        """
        import subprocess
        done = run_solution(solution_path, ["a", "b c"], stdin="hello ä")
        assert isinstance(done, subprocess.CompletedProcess)
        assert done.stdout == "['a', 'b c'] __main__\\nHELLO Ä" and done.stderr == "wrong\\n"
        assert done.returncode == 4 and done.truncated is False
        done = run_solution(solution_path, stdin=b"x")
        assert done.stdout == b"[] __main__\\nX" and done.stderr == b"wrong\\n"
        assert run_solution(solution_path).stdout == "[] __main__\\n"
        with _t.raises(TypeError, "list of strings"):
            run_solution(solution_path, "one")
        """,
    )


ENDINGS = {
    "pass": (0, ""),
    "import sys; sys.exit()": (0, ""),
    "import sys; sys.exit(None)": (0, ""),
    "import sys; sys.exit(True)": (1, ""),
    "import sys; sys.exit(256 + 3)": (3, ""),
    "import sys; sys.exit(-1)": (255, ""),
    "import sys; sys.exit('words')": (1, "words\n"),
    "exit(7)": (7, ""),
    "quit()": (0, ""),
    "raise SystemExit(5)": (5, ""),
    "import os; os._exit(9)": (9, ""),
    "import os, signal; os.kill(os.getpid(), signal.SIGKILL)": (-9, ""),
    "import os, signal; os.kill(os.getpid(), signal.SIGTERM)": (-15, ""),
    "import os; os.abort()": (-6, ""),
    "import ctypes; ctypes.string_at(0)": (-11, ""),
    "raise ValueError('words')": (1, "ValueError: words\n"),
    "def f(: pass": (1, "SyntaxError"),
    "raise KeyboardInterrupt": (-2, "KeyboardInterrupt"),
    "import threading\nthreading.Thread(target=lambda: 1 / 0).start()": (0, "ZeroDivisionError"),
    "import sys; sys.excepthook = lambda *a: print('hook', a[0].__name__, file=sys.stderr)\n1 / 0": (
        1,
        "hook ZeroDivisionError\n",
    ),
    "import sys; sys.stdout.close(); sys.stderr.close()": (0, ""),
    "import sys; sys.stdout = None": (0, ""),
}


@pytest.mark.parametrize("source", ENDINGS)
def test_a_program_ends_as_under_an_interpreter(dg, source):
    code, words = ENDINGS[source]
    result = check(
        dg,
        source,
        f"""
        done = run_solution(solution_path)
        assert done.returncode == {code}, done
        assert {words!r} in done.stderr, done
        assert "deepgym" not in done.stderr, done
        """,
    )
    assert result.has_verdict


def test_what_happens_at_exit_happens(each_dg):
    check(
        each_dg,
        """
        import atexit, threading, time, sys
        atexit.register(lambda: print("atexit"))
        threading.Thread(target=lambda: (time.sleep(0.2), print("thread"))).start()
        unclosed = open("unclosed.txt", "w")
        unclosed.write("kept")
        class Last:
            def __del__(self): print("del")
        last = Last()
        def inner():
            global binary
            binary = open("binary", "wb")
            binary.write(b"kept")
        inner()
        sys.stdout.write("no newline ")
        """,
        """
        import tempfile
        with tempfile.TemporaryDirectory() as cwd:
            done = run_solution(solution_path, cwd=cwd)
            assert done.stdout == "no newline thread\\natexit\\ndel\\n", done
            assert read_output("unclosed.txt", cwd) == "kept" and read_output_bytes("binary", cwd) == b"kept"
        """,
    )


def test_a_daemon_thread_ends_without_a_word(dg):
    check(
        dg,
        """
        import threading, time
        def work():
            while True: time.sleep(0.001)
        file = open("out", "w")
        file.write("kept")
        threading.Thread(target=work, daemon=True).start()
        """,
        """
        import tempfile
        with tempfile.TemporaryDirectory() as cwd:
            for _ in range(5):
                done = run_solution(solution_path, cwd=cwd)
                assert (done.returncode, done.stderr) == (0, ""), done
                assert read_output("out", cwd) == "kept"
        """,
    )


def test_what_a_python_program_finds_is_what_an_interpreter_gives_it(dg):
    check(
        dg,
        """
        import sys, os, inspect, pickle, multiprocessing, __main__
        from helper import VALUE
        class Own: pass
        def square(x): return x * x
        assert __name__ == "__main__" and __main__.Own is Own
        assert sys.argv == [__file__, "x"] and os.path.dirname(__file__) == sys.path[0]
        assert "class Own" in inspect.getsource(Own)
        assert type(pickle.loads(pickle.dumps(Own()))) is Own
        with multiprocessing.Pool(2) as pool:
            assert pool.map(square, [1, 2, 3]) == [1, 4, 9]
        assert sys.stdin.buffer.read() == b"\\xff\\x00"
        sys.stdout.buffer.write(b"\\xfe")
        assert not [name for name in os.environ if "DEEPGYM" in name]
        if __name__ == "__main__":
            print(VALUE, os.getcwd())
        """,
        """
        os.mkdir("work")
        open("work/helper.py", "w").write("VALUE = 3")
        open("work/main.py", "w").write(open(solution_path).read())
        done = run_solution("work/main.py", ["x"], cwd="work", stdin=b"\\xff\\x00")
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(b"\\xfe3 "), done
        """,
    )


def test_the_folder_goes_in_and_what_changed_comes_back(each_dg):
    check(
        each_dg,
        """
        import os, sys
        assert open("in.txt").read() == "input"
        assert open(sys.argv[1]).read() == "input", sys.argv
        assert os.stat("tool.sh").st_mode & 0o777 == 0o755
        assert open("deep/er/x").read() == "x" and os.listdir("empty") == []
        os.makedirs("new/folder")
        open("new/folder/out.txt", "w").write("output")
        open("in.txt", "a").write("+")
        os.remove("gone.txt")
        os.rename("deep", "moved")
        os.chmod("tool.sh", 0o644)
        os.rmdir("empty")
        open("made.sh", "w").write("#!/bin/sh")
        os.chmod("made.sh", 0o755)
        os.makedirs("also-empty")
        """,
        """
        import pathlib
        cwd = pathlib.Path("work").absolute()
        for name, text in (("in.txt", "input"), ("gone.txt", ""), ("deep/er/x", "x"), ("tool.sh", ""), ("same", "s")):
            (cwd / name).parent.mkdir(parents=True, exist_ok=True)
            (cwd / name).write_text(text)
        (cwd / "tool.sh").chmod(0o755)
        (cwd / "empty").mkdir()
        same = (cwd / "same").stat()
        done = run_solution(solution_path, [str(cwd / "in.txt")], cwd=cwd)
        assert done.returncode == 0, done.stderr
        found = sorted(str(path.relative_to(cwd)) for path in cwd.rglob("*"))
        assert found == ["also-empty", "in.txt", "made.sh", "moved", "moved/er", "moved/er/x", "new", "new/folder",
                         "new/folder/out.txt", "same", "tool.sh"], found
        assert (cwd / "in.txt").read_text() == "input+" and read_output("new/folder/out.txt", cwd) == "output"
        assert read_output(cwd / "moved/er/x", cwd) == "x"
        assert (cwd / "tool.sh").stat().st_mode & 0o777 == 0o644 and os.access(cwd / "made.sh", os.X_OK)
        assert (cwd / "same").stat() == same
        """,
    )


def test_what_must_not_cross_does_not_and_says_why(each_dg):
    check(
        each_dg,
        """
        import os, socket
        os.mkfifo("fifo")
        os.symlink("/etc/passwd", "out-link")
        os.symlink("../../secret.txt", "climbing-link")
        open("real", "w").write("real")
        os.symlink("real", "in-link")
        os.symlink("/etc", "folder-link")
        socket.socket(socket.AF_UNIX).bind("socket")
        os.makedirs("a/b")
        os.symlink("../../c", "a/b/link")
        os.makedirs("c")
        os.symlink("a/b/link/../../secret.txt", "twisted-link")
        os.remove("planted.txt")
        os.symlink("../secret.txt", "planted.txt")
        """,
        """
        open("secret.txt", "w").write("secret")
        os.makedirs("work")
        open("work/planted.txt", "w").write("planted")
        done = run_solution(solution_path, cwd="work")
        assert done.returncode == 0, done.stderr
        assert read_output("real", "work") == "real"
        for name, words in (("fifo", "fifo"), ("out-link", "link"), ("climbing-link", "link"), ("in-link", "link"),
                            ("twisted-link", "link"), ("folder-link/passwd", "link"), ("planted.txt", "link"),
                            ("socket", "socket")):
            with _t.raises(SolutionError, words):
                read_output(name, "work")
            assert not os.path.lexists(os.path.join("work", name)), name
        with _t.raises(FileNotFoundError, "does not exist"):
            read_output("never", "work")
        """,
    )


def test_a_path_that_was_refused_and_is_written_again_is_read(dg):
    check(
        dg,
        """
        import os, sys
        if sys.argv[1] == "1": os.mkfifo("out")
        else: open("out", "w").write("text")
        """,
        """
        os.mkdir("work")
        run_solution(solution_path, ["1"], cwd="work")
        with _t.raises(SolutionError, "fifo"):
            read_output("out", "work")
        run_solution(solution_path, ["2"], cwd="work")
        assert read_output("out", "work") == "text"
        """,
    )


def test_odd_files_come_back_as_they_are(each_dg):
    check(
        each_dg,
        """
        import mmap, os
        with open("sparse", "wb") as file:
            file.truncate(100_000_000)
            file.seek(50_000_000)
            file.write(b"middle")
        with open("mapped", "r+b") as file:
            mmap.mmap(file.fileno(), 0)[:3] = b"new"
        os.link("mapped", "hard")
        open("secret-mode", "w").write("mine")
        os.chmod("secret-mode", 0)
        os.makedirs("closed/inner")
        open("closed/inner/file", "w").write("x")
        os.chmod("closed/inner", 0)
        os.chmod("closed", 0o500)
        open(os.fsdecode(b"\\xff\\xfe"), "w").write("odd name")
        open("new\\nline", "w").write("n")
        open("empty", "w").close()
        os.makedirs("/".join(["d" * 50] * 40))
        """,
        """
        os.mkdir("work")
        open("work/mapped", "w").write("old content")
        begun = time.monotonic()
        done = run_solution(solution_path, cwd="work")
        assert done.returncode == 0, done.stderr
        assert time.monotonic() - begun < 5
        status = os.stat("work/sparse")
        assert status.st_size == 100_000_000 and status.st_blocks * 512 < 20_000_000
        with open("work/sparse", "rb") as file:
            file.seek(50_000_000)
            assert file.read(6) == b"middle"
        assert read_output("mapped", "work") == "new content" and read_output("hard", "work") == "new content"
        assert os.path.getsize("work/secret-mode") == 4
        assert read_output("closed/inner/file", "work") == "x"
        assert read_output_bytes(os.fsdecode(b"\\xff\\xfe"), "work") == b"odd name"
        assert read_output("new\\nline", "work") == "n" and read_output("empty", "work") == ""
        """,
    )


def test_a_folder_that_became_a_link_does_not_delete_behind_it(dg):
    check(
        dg,
        """
        import os, shutil
        shutil.rmtree("a")
        os.symlink("b", "a")
        """,
        """
        os.makedirs("work/a"); os.makedirs("work/b")
        open("work/a/x", "w").write("a"); open("work/b/x", "w").write("b")
        run_solution(solution_path, cwd="work")
        assert open("work/b/x").read() == "b" and not os.path.lexists("work/a")
        """,
    )


def test_without_a_folder_nothing_is_left(dg):
    check(
        dg,
        "import os\nprint(os.listdir())\nopen('x', 'w').write('y')\nprint(os.listdir())",
        """
        for _ in range(2):
            assert run_solution(solution_path).stdout == "[]\\n['x']\\n"
        """,
    )


def test_the_verifiers_own_folder_is_not_given_away(dg):
    check(
        dg,
        "print('ran')",
        """
        for cwd in (".", os.path.dirname(solution_path), "/tmp", "/"):
            with _t.raises(ValueError, "verifier's own files"):
                run_solution(solution_path, cwd=cwd)
        with _t.raises(FileNotFoundError, "no folder"):
            run_solution(solution_path, cwd="missing")
        with _t.raises(FileNotFoundError):
            run_solution("missing.py")
        for mistake in ({"env": {"A=B": "x"}}, {"env": {"A": "\\0"}}, {"args": ["\\0"]}, {"timeout": 0},
                        {"timeout": -1}, {"timeout": float("nan")}):
            with _t.raises(ValueError):
                run_solution(solution_path, **mistake)
        """,
    )


def test_the_environment_is_fixed_and_can_be_added_to(each_dg):
    check(
        each_dg,
        "import os, json\nprint(json.dumps(dict(os.environ)))",
        """
        import json
        os.environ["SECRET"] = "x"
        plain = json.loads(run_solution(solution_path).stdout)
        assert "SECRET" not in plain and "SEEN" not in plain and plain["HOME"] == "/tmp"
        more = json.loads(run_solution(solution_path, env={"A": "ä", "PYTHONHASHSEED": "5"}).stdout)
        assert more["A"] == "ä" and more["PYTHONHASHSEED"] == "5"
        """,
        env_vars={"SEEN": "by the verifier only"},
    )


def test_a_time_out_kills_all_of_it(each_dg):
    check(
        each_dg,
        """
        import os, time
        if os.fork() == 0:
            os.setsid()
            while True: time.sleep(1)
        open("begun", "w").close()
        print("words", flush=True)
        while True: time.sleep(1)
        """,
        """
        os.mkdir("work")
        begun = time.monotonic()
        with _t.raises(SolutionTimeoutError, "0.5 s"):
            run_solution(solution_path, cwd="work", timeout=0.5)
        assert time.monotonic() - begun < 4
        assert os.path.exists("work/begun")
        """,
    )


def test_what_runs_in_the_background_is_gone_when_it_returns(each_dg):
    check(
        each_dg,
        """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(0.5)
                open("late", "w").close()
                time.sleep(60)
            os._exit(0)
        print("done")
        """,
        """
        os.mkdir("work")
        begun = time.monotonic()
        assert run_solution(solution_path, cwd="work").stdout == "done\\n"
        assert time.monotonic() - begun < 3
        time.sleep(0.8)
        assert os.listdir("work") == []
        """,
    )


def test_a_flood_is_cut_and_says_so(each_dg):
    check(
        each_dg,
        """
        import sys
        while True: sys.stdout.write("x" * 100_000)
        """,
        """
        begun = time.monotonic()
        done = run_solution(solution_path)
        assert done.truncated is True and len(done.stdout) == 3 * 1024 * 1024, len(done.stdout)
        assert done.returncode == -9 and time.monotonic() - begun < 5
        """,
        output_mb=3,
    )


def test_just_over_the_limit_is_marked_too(dg):
    check(
        dg,
        "import sys\nsys.stdout.write('x' * int(sys.argv[1]))",
        """
        limit = 1024 * 1024
        done = run_solution(solution_path, [str(limit)])
        assert (len(done.stdout), done.truncated, done.returncode) == (limit, False, 0)
        done = run_solution(solution_path, [str(limit + 1)])
        assert (len(done.stdout), done.truncated) == (limit, True)
        """,
        output_mb=1,
    )


def test_fifty_megabytes_of_output_are_legal(dg):
    check(
        dg,
        "import sys\nfor _ in range(50): sys.stdout.write('x' * 1_000_000)",
        """
        done = run_solution(solution_path)
        assert (len(done.stdout), done.truncated, done.returncode) == (50_000_000, False, 0)
        """,
    )


def test_starting_programs_is_refused_unless_allowed(each_dg):
    check(
        each_dg,
        """
        import subprocess, os, sys
        try:
            print(subprocess.run(["echo", "started"], capture_output=True, text=True).stdout.strip())
        except PermissionError:
            print("refused")
        """,
        """
        assert run_solution(solution_path).stdout == "refused\\n"
        assert run_solution(solution_path, allow_subprocess=True).stdout == "started\\n"
        """,
    )
    check(
        each_dg,
        "import subprocess\ndef f(): return subprocess.run(['echo', 'x'], capture_output=True, text=True).stdout",
        """
        with _t.raises(PermissionError):
            load_solution(solution_path).f()
        assert load_solution(solution_path, allow_subprocess=True).f() == "x\\n"
        """,
    )


SHELL = """#!/bin/bash
echo "arg $1"
read line
echo "line $line"
echo made > made.txt
(exec 2>/dev/null; /bin/echo started) || echo refused
exit 5
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_a_script_names_its_interpreter_and_only_that_one_starts(each_dg):
    check(
        each_dg,
        SHELL,
        """
        os.mkdir("work")
        done = run_solution(solution_path, ["x"], cwd="work", stdin="words")
        assert done.returncode == 5, done
        assert done.stdout.splitlines() == ["arg x", "line words", "refused"], done
        assert read_output("made.txt", "work") == "made\\n"
        done = run_solution(solution_path, ["x"], stdin="words", allow_subprocess=True)
        assert done.stdout.splitlines() == ["arg x", "line words", "started"], done
        """,
    )
    check(
        each_dg,
        "exec /bin/echo again",
        """
        done = run_solution(solution_path, interpreter="bash")
        assert done.returncode == 126 and "again" not in done.stdout, done
        assert run_solution(solution_path, interpreter=["bash", "-u"], allow_subprocess=True).stdout == "again\\n"
        """,
    )


@pytest.mark.skipif(shutil.which("node") is None, reason="no node here")
def test_node_runs_what_it_is_given(dg):
    check(
        dg,
        "const fs = require('fs'); console.log(fs.readFileSync(0, 'utf8').trim() + process.argv[2])",
        """
        done = run_solution(solution_path, ["!"], stdin="hi", interpreter="node")
        assert done.stdout == "hi!\\n", done
        """,
    )


def test_a_real_interpreter_can_be_asked_for(dg):
    check(
        dg,
        "import sys\nprint(sys.flags.optimize, sys.argv[1])",
        """
        done = run_solution(solution_path, ["x"], interpreter=[sys.executable, "-O"])
        assert done.stdout == "1 x\\n", done
        done = run_solution(solution_path, ["x"], env={"PYTHONOPTIMIZE": "2"})
        assert done.stdout == "2 x\\n", done
        """,
    )


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("#!/no/such/interpreter\n", 127),
        ("#!/etc/ld.so.cache\n", 126),
        ("#!\n", 1),
        ("#!/usr/bin/env\n", 1),
        ("\x7fELF but not really", 126),
        ("#!/usr/bin/env python3\nraise SystemExit(6)", 6),
        ("#! /usr/bin/python3 -u\nraise SystemExit(6)", 6),
    ],
)
def test_what_a_solution_names_as_its_interpreter_is_its_own_affair(dg, source, code):
    source = source if code != 1 else source + "raise ValueError"
    check(dg, source, f"assert run_solution(solution_path).returncode == {code}, run_solution(solution_path)")


def test_an_interpreter_that_the_verifier_names_and_that_is_not_there_is_the_machines_fault(dg):
    result = run(dg, "x = 1", "run_solution(solution_path, interpreter='no-such-thing')")
    assert (result.has_verdict, result.error_type) == (False, "sandbox_error")
    assert "no-such-thing" in result.details


SERVER = """
import http.server, threading
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b"hello " * 20_000)
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200); self.end_headers(); self.wfile.write(body[::-1])
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
other = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=other.serve_forever, daemon=True).start()
port = server.server_port
"""

CLIENT = """
import sys, urllib.request, socket, threading
def f(port, other):
    url = f"http://127.0.0.1:{port}/"
    found = []
    threads = [threading.Thread(target=lambda: found.append(urllib.request.urlopen(url).read())) for _ in range(8)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert found == [b"hello " * 20_000] * 8
    assert urllib.request.urlopen(url, data=b"abc").read() == b"cba"
    for address in ((f"127.0.0.1", other), ("10.0.0.1", 80), ("1.1.1.1", 53)):
        try: socket.create_connection(address, timeout=1)
        except OSError: continue
        return f"reached {address}"
    return "fine"
if __name__ == "__main__":
    print(f(int(sys.argv[1]), int(sys.argv[2])))
"""


def test_one_port_of_the_verifier_can_be_reached_and_nothing_else(each_dg):
    lines = (
        SERVER.strip()
        + "\n"
        + """
done = run_solution(solution_path, [str(port), str(other.server_port)], loopback_port=port)
assert done.stdout == "fine\\n", done
assert run_solution(solution_path, [str(port), "1"]).returncode == 1
sol = load_solution(solution_path, loopback_port=port)
assert sol.f(port, other.server_port) == "fine"
with _t.raises(SolutionError):
    load_solution(solution_path).f(port, other.server_port)
"""
    )
    check(each_dg, CLIENT, lines)


def test_nothing_of_many_programs_is_left_in_the_judge(each_dg):
    check(
        each_dg,
        "import sys\nprint('x')\nsys.exit(1)",
        """
        os.mkdir("work")
        run_solution(solution_path, cwd="work")
        before = sorted(os.listdir("/proc/self/fd"))
        for _ in range(10):
            run_solution(solution_path, cwd="work")
        assert sorted(os.listdir("/proc/self/fd")) == before
        """,
    )


def test_programs_may_run_side_by_side(dg):
    check(
        dg,
        "import sys, time\ntime.sleep(0.3)\nprint(sys.argv[1])",
        """
        from concurrent.futures import ThreadPoolExecutor
        begun = time.monotonic()
        with ThreadPoolExecutor(6) as pool:
            found = list(pool.map(lambda n: run_solution(solution_path, [str(n)]).stdout, range(6)))
        assert found == [f"{n}\\n" for n in range(6)] and time.monotonic() - begun < 3
        """,
    )


def test_a_program_cannot_stop_or_look_into_its_keeper(each_dg):
    check(
        each_dg,
        """
        import os, signal
        found = []
        for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGINT):
            try: os.kill(1, number)
            except OSError: pass
        for name in ("mem", "environ", "maps", "fd/0"):
            try: found.append(open(f"/proc/1/{name}", "rb").read(10))
            except OSError: pass
        try: os.kill(-1, signal.SIGTERM)
        except OSError: pass
        print(found)
        """,
        """
        done = run_solution(solution_path)
        assert (done.stdout, done.returncode) == ("[]\\n", 0), done
        """,
    )


def test_a_solution_that_breaks_its_own_box_is_judged(dg):
    result = run(
        dg,
        """
        import os, resource
        for name in ("RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_AS", "RLIMIT_CPU"):
            try: resource.prlimit(1, getattr(resource, name), (1, 1))
            except (OSError, ValueError): pass
        open("x", "w").write("y")
        """,
        """
        os.mkdir("work")
        run_solution(solution_path, cwd="work")
        """,
    )
    assert result.has_verdict

"""The judge is confined too: a stranger's verifier reads, reaches and leaves nothing of the caller's machine."""

import os
import socket
import threading
from pathlib import Path

import pytest

from deepgym import DeepGym
from deepgym.errors import UsageError
from deepgym_solution._isolation.view import judge_view
from tests.integration.judging import check, run

SECRET = "a-secret-of-the-caller"

# Each line makes `got` true when the verifier reached what it should not.
# The interpreter and our packages may lie below /tmp, and are then shown there.
SHOWN_IN_TMP = (
    "judge",
    ".shm",
    *sorted({path.split("/")[2] for path in judge_view().readable if path.startswith("/tmp/")}),
)

REACHES = {
    "the caller's home": "got = os.path.exists({home_file!r})",
    "the caller's files by name": "got = open({file!r}).read() == {secret!r}",
    "a file through the root of another process": "got = any(os.path.exists(f'/proc/{{p}}/root{file}') for p in os.listdir('/proc') if p.isdigit())",
    "the caller's environment": "got = {secret!r} in str(os.environ)",
    "the environment of process 1": "got = {secret!r}.encode() in open('/proc/1/environ', 'rb').read()",
    "the caller's processes": "got = len([p for p in os.listdir('/proc') if p.isdigit()]) > 1",
    "a service on the caller's loopback": "import socket\ngot = bool(socket.create_connection(('127.0.0.1', {port}), timeout=1))",
    "an abstract socket of the caller": "import socket\nsock = socket.socket(socket.AF_UNIX)\nsock.connect({abstract!r})\ngot = True",
    "the system's folders": "got = not open('/usr/planted', 'w').close()",
    "its own library": "import deepgym_solution\ngot = not open(deepgym_solution.__file__, 'a').close()",
    "/etc": "got = not open('/etc/planted', 'w').close()",
    "the running services": "got = bool(os.listdir('/run'))",
    "other people's temporary files": f"got = any(name not in {SHOWN_IN_TMP} for name in os.listdir('/tmp'))",
    "a kernel setting": "got = not open('/proc/sys/kernel/hostname', 'w').close()",
    "a raw socket": "import socket\ngot = bool(socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))",
    "a mount of its own": "import ctypes\ngot = ctypes.CDLL(None).mount(b'tmpfs', b'/tmp', b'tmpfs', 0, None) == 0",
    "a user namespace": "import ctypes\ngot = ctypes.CDLL(None).unshare(0x10000000) == 0",
}


@pytest.fixture(scope="module")
def plants(tmp_path_factory):
    """What a verifier might look for on the caller's side."""
    home_file = Path("~", f".deepgym-test-{os.getpid()}").expanduser()
    home_file.write_text(SECRET)
    folder = tmp_path_factory.mktemp("callers")
    file = folder / "file.txt"
    file.write_text(SECRET)
    os.environ["A_SECRET_VARIABLE"] = SECRET
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        name = f"\0deepgym-test-{os.getpid()}"
        abstract.bind(name)
        abstract.listen()
        yield {
            "home_file": str(home_file),
            "file": str(file),
            "secret": SECRET,
            "port": server.getsockname()[1],
            "abstract": name,
        }
    del os.environ["A_SECRET_VARIABLE"]
    home_file.unlink()


def attempt(client, lines, plants):
    body = "got = False\ntry:\n"
    body += "".join(f"    {line}\n" for line in lines.format(**plants).splitlines())
    body += "except OSError as exc:\n    print(exc)\nreturn {'score': float(got)}"
    result = run(client, "x = 1", body)
    assert result.has_verdict, result.details
    return result.score == 1.0


@pytest.mark.parametrize("name", REACHES)
def test_a_verifier_does_not_reach(each_dg, name, plants):
    assert not attempt(each_dg, REACHES[name], plants)


WORKS_OUTSIDE = [
    "the caller's home",
    "the caller's files by name",
    "the caller's environment",
    "the caller's processes",
    "a service on the caller's loopback",
    "an abstract socket of the caller",
    "the running services",
    "other people's temporary files",
]


@pytest.mark.parametrize("name", WORKS_OUTSIDE)
def test_on_the_host_the_same_verifier_reaches(host_dg, name, plants):
    assert attempt(host_dg, REACHES[name], plants)


@pytest.fixture(scope="module")
def host_dg(plants):
    with DeepGym(mode="local", judge="host") as client:
        yield client


def test_a_judge_on_the_host_is_named_on_the_result_and_its_solutions_stay_sealed(host_dg, plants):
    result = check(
        host_dg,
        """
        import os
        def look(path): return os.path.exists(path)
        def processes(): return len([p for p in os.listdir("/proc") if p.isdigit()])
        def environment(): return sorted(os.environ)
        def network():
            import socket
            try: socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            except OSError: return False
            return True
        """,
        f"""
        sol = load_solution(solution_path)
        assert not sol.look({plants["file"]!r}) and not sol.look({plants["home_file"]!r})
        assert sol.processes() == 1 and "A_SECRET_VARIABLE" not in sol.environment() and not sol.network()
        os.mkdir("work")
        open("main.py", "w").write("open('out', 'w').write('x')")
        assert run_solution("main.py", cwd="work").returncode == 0 and read_output("out", "work") == "x"
        """,
    )
    assert result.isolation == "sealed"
    assert "judge runs on the host" in result.isolation_detail


def test_a_judge_on_the_host_leaves_nothing(host_dg):
    result = run(
        host_dg,
        "x = 1",
        """
        import subprocess
        child = subprocess.Popen(["sleep", "100"], start_new_session=True)
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(100)
            os._exit(0)
        os.wait()
        return {"score": 1.0, "details": f"{os.getcwd()} {child.pid} {os.getpid()}"}
        """,
    )
    folder, child, judge = result.details.split()
    assert not os.path.exists(folder)
    for pid in (child, judge):
        assert not os.path.exists(f"/proc/{pid}"), pid


def test_other_judges_are_refused():
    with pytest.raises(UsageError, match="'sealed' or 'host'"):
        DeepGym(judge="nowhere")
    with pytest.raises(UsageError, match="mode='local'"):
        DeepGym(mode="docker", judge="host")


def test_a_verifier_may_do_what_verifiers_do(each_dg):
    check(
        each_dg,
        "def f(): return 1",
        """
        import json, subprocess, tempfile, threading, multiprocessing, socket, http.server, urllib.request
        with tempfile.TemporaryDirectory() as folder:
            open(os.path.join(folder, "x"), "w").write("y")
        assert subprocess.run(["echo", "x"], capture_output=True, text=True).stdout == "x\\n"
        assert subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True, text=True).stdout == "1\\n"
        server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        assert urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/").status == 200
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(abs, [-1, -2]) == [1, 2]
        assert json.load(open(test_cases_path)) == {"cases": [1, 2]}
        assert os.environ["GIVEN"] == "by the environment" and exit and quit
        assert open("lib/oracle.txt").read() == "oracle" and __file__ == "verifier.py"
        """,
        test_cases={"cases": [1, 2]},
        env_vars={"GIVEN": "by the environment"},
        support_files={"lib/oracle.txt": "oracle", "pytest_free.py": ""},
    )


def test_what_a_verifier_leaves_behind_is_gone(each_dg):
    marker = f"deepgym-marker-{os.getpid()}-{threading.get_ident()}"
    result = run(
        each_dg,
        "x = 1",
        f"""
        import subprocess
        for _ in range(3):
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)", {marker!r}], start_new_session=True)
        open("/tmp/{marker}", "w").close()
        """,
    )
    assert result.score == 1.0, result.details
    assert not os.path.exists(f"/tmp/{marker}")
    assert not [pid for pid in os.listdir("/proc") if pid.isdigit() and marker in command_of(pid)]


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""

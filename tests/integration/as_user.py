"""What test_unprivileged.py runs as a user without privileges: the promises that hang on who the caller is."""

import os
import sys

from deepgym import DeepGym
from tests.integration.judging import check, run

CHECKS = {
    "calls, handles, errors and a fresh start": (
        """
        import time, os
        class Box:
            def __init__(self, x): self.x = x
        def f(x): return x + 1
        def hang(): time.sleep(60)
        def leave(): os._exit(1)
        """,
        """
        sol = load_solution(solution_path, case_timeout=0.3)
        assert sol.f(1) == 2 and sol.Box(3).x == 3 and sol.map("f", range(100)) == list(range(1, 101))
        for name in ("hang", "leave"):
            with _t.raises(SolutionError):
                sol.call(name)
        with _t.raises(TypeError):
            sol.f("x")
        """,
    ),
    "a program, its folder and one port": (
        """
        import sys, urllib.request
        open("out", "w").write(urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/").read().decode())
        """,
        """
        import http.server, threading
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200); self.end_headers(); self.wfile.write(b"served")
            def log_message(self, *args): pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        os.mkdir("work")
        port = server.server_port
        done = run_solution(solution_path, [str(port)], cwd="work", loopback_port=port)
        assert done.returncode == 0, done.stderr
        assert read_output("out", "work") == "served"
        assert run_solution(solution_path, [str(port)], cwd="work").returncode == 1
        """,
    ),
    "the wall around a solution": (
        """
        import os, socket
        def look():
            found = [len([p for p in os.listdir("/proc") if p.isdigit()]), os.getuid(), sorted(os.listdir("/tmp"))]
            for path in ("/home", "/run", "/var", "/srv", "/root/.bashrc"):
                try: found.append((path, os.path.isfile(path) or bool(os.listdir(path))))
                except OSError: pass
            try: socket.socket(socket.AF_INET)
            except OSError: found.append("no network")
            try: os.execv("/bin/true", ["true"])
            except OSError: found.append("no programs")
            try: open("/usr/x", "w")
            except OSError: found.append("read-only")
            return found
        """,
        """
        found = load_solution(solution_path).look()
        assert found[0] == 1 and found[-3:] == ["no network", "no programs", "read-only"], found
        assert not any(seen for _, seen in found[3:-3]), found
        """,
    ),
    "a pool of processes and shared memory's folder": (
        """
        import multiprocessing
        def square(x): return x * x
        def f():
            with multiprocessing.Pool(3) as pool: return pool.map(square, range(5))
        """,
        "assert load_solution(solution_path).f() == [0, 1, 4, 9, 16]",
    ),
}

FORKS = """
import os, time
def f():
    count = 0
    try:
        while count < 200:
            if os.fork() == 0:
                time.sleep(10)
                os._exit(0)
            count += 1
    except OSError: pass
    return count
"""


def main():
    assert os.getuid() != 0
    for way in sys.argv[1:]:
        os.environ["DEEPGYM_LOCAL_WAY"] = way
        with DeepGym(mode="local") as client:
            for name, (answer, lines) in CHECKS.items():
                assert check(client, answer, lines).isolation == "sealed", name
            limited = "assert 5 < load_solution(solution_path).f() <= 20"
            check(client, FORKS, limited, processes=20)
            full = "def f():\n    with open('/tmp/x', 'wb') as file:\n        while True: file.write(b'x' * 1_000_000)"
            assert (
                run(client, full, "load_solution(solution_path).f()", tmp_mb=8).error_type == "solution_error"
            )
        print(way, "holds")


if __name__ == "__main__":
    main()

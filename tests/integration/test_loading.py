"""Solutions of several files, their source as text, and verifiers that an author runs by hand."""

import json
import os
import subprocess
import sys
from pathlib import Path

import deepgym_solution
from tests.integration.judging import check

PACKAGE_ROOT = str(Path(deepgym_solution.__file__).parent.parent)


def test_packages_data_files_and_relative_imports_work(each_dg):
    check(
        each_dg,
        "x = 1",
        """
        files = {
            "pkg/__init__.py": "from .core import total\\nVERSION = '1'",
            "pkg/core.py": "from . import table\\nfrom .deep.more import double\\ndef total(): return double(sum(table.ROWS))\\n"
                           "class Own: pass\\ndef again():\\n    import pickle\\n    return type(pickle.loads(pickle.dumps(Own()))).__module__",
            "pkg/table.py": "import pathlib\\nROWS = [int(x) for x in (pathlib.Path(__file__).parent / 'rows.txt').read_text().split()]",
            "pkg/rows.txt": b"1 2 3",
            "pkg/deep/__init__.py": "",
            "pkg/deep/more.py": "def double(x): return 2 * x",
            "top.py": "import pkg\\ndef f(): return pkg.total() + 1",
            "data/notes.md": "text \\ud800",
        }
        sol = load_files(files, "pkg")
        assert sol.total() == 12 and sol.VERSION == "1"
        assert load_files(files, "pkg.core").again() == "pkg.core"
        assert load_files(files, "top").f() == 13
        """,
    )


def test_files_that_climb_or_hide_the_standard_library_are_refused(dg):
    check(
        dg,
        "x = 1",
        """
        good = {"a.py": "x = 1"}
        for name in ("../b.py", "/b.py", "a/../b.py", "./b.py", "", "b//c.py", "b\\\\c.py", "b\\0.py", "a/"):
            with _t.raises(SolutionError, "relative path"):
                load_files({**good, name: ""}, "a")
        for name in ("json.py", "random/__init__.py", "os.py", "collections.py"):
            with _t.raises(SolutionError, "standard library"):
                load_files({**good, name: ""}, "a")
        assert load_files({"a.py": "import colorsys\\nx = colorsys.MINE", "colorsys.py": "MINE = 5"}, "a",
                          shadow_stdlib=True).x == 5
        for entry in ("a-b", "", "a..b", "1a"):
            with _t.raises(ValueError, "module name"):
                load_files(good, entry)
        with _t.raises(ModuleNotFoundError):
            load_files(good, "missing")
        with _t.raises(SyntaxError):
            load_files({"a.py": "def"}, "a")
        for odd, words in (({"a": "file", "a/b.py": "folder"}, "folder"), ({"x" * 300 + ".py": ""}, "too long"),
                           ({"/".join(["d" * 200] * 40): ""}, "too long"), ({"\\ud800.py": ""}, "surrogate")):
            with _t.raises(SolutionError, words):
                load_files({**good, **odd}, "a")
        with _t.raises(SolutionError, "does not fit"):
            load_files({**good, **{f"d/{n}": "" for n in range(30_000)}}, "a")
        """,
    )


def test_a_fresh_start_loads_all_files_again(dg):
    check(
        dg,
        "x = 1",
        """
        files = {"a.py": "import b, time\\ndef f(): return b.next()\\ndef hang(): time.sleep(60)",
                 "b.py": "import itertools\\nnext = itertools.count(1).__next__"}
        sol = load_files(files, "a", case_timeout=0.3)
        assert (sol.f(), sol.f()) == (1, 2)
        with _t.raises(SolutionTimeoutError):
            sol.hang()
        assert sol.f() == 1
        """,
    )


def test_source_is_read_without_running_it(dg):
    check(
        dg,
        "print(1 / 0)\ndef f(x):\n    'words'\n    return x\nclass A:\n    y = 1\n",
        """
        assert solution_source(solution_path).startswith("print(1 / 0)")
        assert solution_source(solution_path, "f").startswith("def f(x):") and "y = 1" in solution_source(solution_path, "A")
        """,
    )


def by_hand(tmp_path, verifier, *args, solution="def f(x): return x + 1\n"):
    (tmp_path / "verifier.py").write_text(verifier)
    (tmp_path / "answer.py").write_text(solution)
    environment = {**os.environ, "PYTHONPATH": PACKAGE_ROOT}
    return subprocess.run(
        [sys.executable, "verifier.py", "answer.py", *args],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_verifier_can_be_run_by_hand(tmp_path):
    done = by_hand(
        tmp_path,
        """
import os, sys, tempfile
from deepgym_solution import SolutionError, load_solution, read_output, report, run_seed, run_solution
sol = load_solution(sys.argv[1])
assert sol.f(1) == 2
try:
    sol.f("x")
except TypeError:
    pass
with tempfile.TemporaryDirectory() as cwd:
    open(f"{cwd}/main.py", "w").write("import sys; open('out', 'w').write(open(sys.argv[1]).read() + '!')")
    open(f"{cwd}/in", "w").write("hi")
    done = run_solution(f"{cwd}/main.py", [f"{cwd}/in"], cwd=cwd)
    assert done.returncode == 0, done.stderr
    assert read_output("out", cwd) == "hi!"
assert isinstance(run_seed(), int)
report(score=0.5, details="half")
""",
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"score": 0.5, "details": "half"}


def test_a_folder_outside_tmp_is_named_alike_inside(tmp_path):
    home = tmp_path / "somewhere"
    home.mkdir()
    done = by_hand(
        tmp_path,
        """
import os, sys
from deepgym_solution import run_solution
cwd = os.path.abspath(sys.argv[2])
open(f"{cwd}/in", "w").write("hi")
done = run_solution("answer.py", [f"{cwd}/in", "plain"], cwd=cwd)
print(done.stdout, done.stderr)
""",
        str(home),
        solution="import sys\nprint(open(sys.argv[1]).read(), sys.argv[2])",
    )
    assert done.stdout.strip() == "hi plain", done


def test_a_verifier_run_by_hand_leaves_no_process(tmp_path):
    done = by_hand(
        tmp_path,
        "import sys, os\nfrom deepgym_solution import load_solution\n"
        "sol = load_solution(sys.argv[1])\nsol.f(1)\nprint(os.getpid())\n",
    )
    pid = int(done.stdout)
    assert not [name for name in os.listdir("/proc") if name.isdigit() and parent_of(name) == pid]


def parent_of(pid):
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return int(stat.rsplit(")", 1)[1].split()[1])

"""Every backend judges alike: the same results as on this machine, whatever the answer does, and nothing left behind."""

import time

import pytest

from deepgym import DeepGym, Environment
from tests.loopback import places
from tests.support import require

CALL = "from deepgym_solution import load_solution\nsol = load_solution(solution_path)\n"
RUN = "from deepgym_solution import run_solution\n"


def client(here, **options):
    if here.name == "docker":
        options["backend_options"] = {"image": places.IMAGE}
    return DeepGym(mode=here.name, **options)


@pytest.fixture(scope="module", params=places.NAMES)
def at(request):
    """A client of each backend, for all tests of this file; afterwards nothing is left of it."""
    require(*places.why_missing(request.param))
    with pytest.MonkeyPatch.context() as patch, places.place(request.param, patch) as here:
        with client(here) as dg:
            here.dg = dg
            yield here
        assert places.left_boxes(here) == []


@pytest.fixture(scope="module")
def local():
    with DeepGym() as dg:
        yield dg


def shown(result):
    """A result without what may differ between two runs: times, ids, and where it happened."""
    values = result.model_dump()
    for name in (
        "execution_time_ms",
        "isolation",
        "isolation_detail",
        "backend",
        "sandbox_id",
        "attempts",
        "seed",
    ):
        values.pop(name)
    return values


SUM = CALL + "return {'score': float(sol.add(2, 3) == 5), 'details': repr(sol.add(2, 3))}"
ANSWERS = {
    "right": "def add(a, b): return a + b",
    "wrong": "def add(a, b): return a - b",
    "raises": "def add(a, b): raise ValueError('grüße \\ud800')",
    "exits": "import os\ndef add(a, b): os._exit(0)",
    "dies": "import ctypes\ndef add(a, b): ctypes.string_at(0)",
    "syntax": "def add(a, b) return",
    "missing": "x = 1",
    "empty": "",
    "hangs": "import time\ndef add(a, b): time.sleep(99)",
    "lies": "class E(int):\n    def __eq__(self, other): return True\ndef add(a, b): return E(0)",
    "object": "def add(a, b): return object()",
    "prints": "def add(a, b):\n    print('{\"score\": 1.0}')\n    return 0",
    "surrogate": "def add(a, b): return '\\ud800'",
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_has_the_same_result_as_on_this_machine(at, local, answer):
    env = Environment(task="t", verifier_code=SUM, case_timeout=2.0, timeout=20.0)
    there, here = at.dg.run(env, ANSWERS[answer]), local.run(env, ANSWERS[answer])
    assert there.has_verdict, there.details
    assert shown(there) == shown(here)
    assert there.backend == at.name
    assert there.sandbox_id


VERIFIERS = {
    "a function": "from deepgym_solution import load_solution\ndef verify(solution_path):\n    return load_solution(solution_path).add(1, 1) == 2",
    "a script": "import sys, json\nfrom deepgym_solution import load_solution\nprint(json.dumps({'score': float(load_solution(sys.argv[1]).add(1, 1) == 2)}))",
    "an exit code": "import sys\nfrom deepgym_solution import load_solution\nsys.exit(0 if load_solution(sys.argv[1]).add(1, 1) == 2 else 1)",
    "garbage": CALL + "sol.add(1, 1)\nreturn 'nonsense'",
    "garbage at once": "return 'nonsense'",
    "a crash": CALL + "sol.add(1, 1)\n1 / 0",
    "a crash at once": "1 / 0",
    "a hang": "import time\nwhile True: time.sleep(1)",
    "a program": RUN
    + "done = run_solution(solution_path, ['x'], stdin='grüße')\nreturn {'score': float(done.returncode == 0), 'details': done.stdout + done.stderr}",
    "a report": "import sys\nfrom deepgym_solution import load_solution, report\nload_solution(sys.argv[1]).add(1, 1)\nreport({'score': 0.5})",
}


@pytest.mark.parametrize("verifier", VERIFIERS)
def test_a_verifier_ends_as_on_this_machine(at, local, verifier):
    env = Environment(task="t", verifier_code=VERIFIERS[verifier], timeout=4.0)
    there, here = at.dg.run(env, ANSWERS["right"]), local.run(env, ANSWERS["right"])
    assert shown(there) == shown(here)


def test_support_files_and_cases_and_variables_arrive(at, local):
    code = (
        "import json, os, pathlib\n"
        "data = pathlib.Path('data/größe.bin').read_bytes()\n"
        "cases = json.load(open(test_cases_path))\n"
        "return {'score': 1.0, 'details': repr((data[:4], len(data), cases, os.environ['WORD']))}"
    )
    env = Environment(
        task="t",
        verifier_code=code,
        support_files={"data/größe.bin": b"\0\xff\r\n" * 250_000},
        test_cases=[{"in": 1}],
        env_vars={"WORD": "a b'c"},
    )
    there, here = at.dg.run(env, "x = 1"), local.run(env, "x = 1")
    assert there.score == 1.0, there.details
    assert shown(there) == shown(here)


def test_floods_of_output_are_cut_alike(at, local):
    env = Environment(
        task="t",
        verifier_code="import sys\nprint('x' * 3_000_000)\nsys.stderr.write('y' * 3_000_000)\nreturn True",
    )
    there, here = at.dg.run(env, ""), local.run(env, "")
    assert there.score == 1.0
    assert shown(there) == shown(here)


ATTACKS = {
    "forge a frame": "import os\nos.write(1, b'\\ndeepgym-frame 00 e30=\\n')\nprint('deepgym-frame', '0' * 64, 'e30=')\n",
    "list the judge's folder": "import os\nos.listdir('/deepgym')\n",
    "kill all that runs": "import os\ntry:\n    os.kill(-1, 9)\nexcept OSError:\n    pass\n",
    "write to the judge's output": "import glob\nfor p in glob.glob('/proc/[0-9]*/fd/1'):\n    try:\n        open(p, 'w').write('deepgym-frame')\n    except OSError:\n        pass\n",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_gains_no_score_and_costs_no_verdict(at, attack):
    env = Environment(task="t", verifier_code=SUM, timeout=20.0, memory_mb=512, tmp_mb=32, file_size_mb=16)
    source = f"try:\n    exec({ATTACKS[attack]!r})\nexcept Exception:\n    pass\ndef add(a, b): return 0\n"
    result = at.dg.run(env, source)
    assert result.has_verdict, result.details
    assert result.score == 0.0


def test_an_image_without_python_is_no_verdict_with_the_reason(at):
    result = at.dg.run(Environment(task="t", verifier_code="return True", image=at.empty_image), "")
    assert not result.has_verdict
    assert result.error_type == "sandbox_error"
    assert "python3" in result.details


@pytest.mark.parametrize("name", ["e2b", "docker"])
def test_runs_share_a_box_only_on_request_and_only_while_it_is_clean(name, monkeypatch):
    require(*places.why_missing(name))
    leaving = (
        "import os, time\n"
        "if os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\n    os._exit(0)\n"
        "open('/tmp/mine', 'w').write('x')\n" + ANSWERS["right"]
    )
    env = Environment(task="t", verifier_code=SUM)
    with places.place(name, monkeypatch) as here:
        options = {"image": places.IMAGE} if name == "docker" else {}
        with DeepGym(name, max_parallel=1, backend_options={**options, "reuse_box": True}) as dg:
            results = []
            for answer in [ANSWERS["right"], leaving, ANSWERS["wrong"], ANSWERS["right"]]:
                results.append(dg.run(env, answer))
                time.sleep(3.0)
        assert [result.score for result in results] == [1.0, 1.0, 0.0, 1.0]
        assert len({result.sandbox_id for result in results}) < 4
        assert places.left_boxes(here) == []

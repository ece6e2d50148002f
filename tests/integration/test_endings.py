"""Every way a run can end, before and after solution code ran, for all shapes: who is blamed, and with what score."""

import textwrap

import pytest

from deepgym import Environment

SHAPES = ("script", "verify_function", "body")
JUDGED, NOBODY = True, False

# What ends the run: (how each kind of verifier does it, the outcome before and after solution code ran).
# An outcome is (has_verdict, score, passed, error_type).
SCORED_1 = (JUDGED, 1.0, True, None)
FAILED = (JUDGED, 0.0, False, "solution_error")
GARBAGE = ((NOBODY, 0.0, False, "verifier_error"), FAILED)
CRASH = ((NOBODY, 0.0, False, "runtime_error"), FAILED)


def value(text):
    return {"value": text}


def line(text):
    return {"line": text}


ENDINGS = {
    "a full score": (value("1.0"), (SCORED_1, SCORED_1)),
    "an int": (value("1"), (SCORED_1, SCORED_1)),
    "half a score": (value("0.5"), ((JUDGED, 0.5, False, None),) * 2),
    "True": (value("True"), (SCORED_1, SCORED_1)),
    "False": (value("False"), ((JUDGED, 0.0, False, None),) * 2),
    "a dict": (value("{'score': 0.25, 'passed': True}"), ((JUDGED, 0.25, True, None),) * 2),
    "its own word": (
        value("{'score': 0.5, 'passed': False, 'error_type': 'style', 'metrics': {'x': 1}}"),
        ((JUDGED, 0.5, False, "style"),) * 2,
    ),
    "nothing": (value("None"), GARBAGE),
    "NaN": (value("float('nan')"), GARBAGE),
    "infinity": (value("float('inf')"), GARBAGE),
    "too much": (value("1.5"), GARBAGE),
    "too little": (value("-0.1"), GARBAGE),
    "a text": (value("'1.0'"), GARBAGE),
    "an empty dict": (value("{}"), GARBAGE),
    "a score as text": (value("{'score': '1.0'}"), GARBAGE),
    "a passed that is no bool": (value("{'score': 1.0, 'passed': 1}"), GARBAGE),
    "a truncated that is no bool": (value("{'score': 1.0, 'truncated': 'no'}"), GARBAGE),
    "a bad case": (value("{'score': 1.0, 'cases': [{'id': 'a', 'passed': None}]}"), GARBAGE),
    "an exception": (line("raise ValueError('words')"), CRASH),
    "an assertion": (line("assert False"), CRASH),
    "a name that is not there": (line("missing"), CRASH),
    "a keyboard interrupt": (line("raise KeyboardInterrupt"), CRASH),
    "endless recursion": (line("(lambda f: f(f))(lambda f: f(f))"), CRASH),
    "exit 2": (line("sys.exit(2)"), GARBAGE),
    "exit 3": (line("sys.exit(3)"), CRASH),
    "exit 0 without a verdict": (line("sys.exit(0)"), GARBAGE),
    "exit 1 without a verdict": (line("sys.exit(1)"), GARBAGE),
    "a text as exit code": (line("sys.exit('words')"), GARBAGE),
    "a hard exit": (line("os._exit(7)"), CRASH),
    "a hard exit 0 without a verdict": (line("os._exit(0)"), GARBAGE),
    "a segmentation fault": (line("ctypes.string_at(0)"), CRASH),
    "an abort": (line("os.abort()"), CRASH),
    "a launch error": (
        line("raise LaunchError('no room')"),
        ((NOBODY, 0.0, False, "sandbox_error"), FAILED),
    ),
    "a hang": (
        line("time.sleep(60)"),
        ((NOBODY, 0.0, False, "verifier_timeout"), (JUDGED, 0.0, False, "solution_timeout")),
    ),
    "a report": (line("report(score=0.5, passed=True)"), ((JUDGED, 0.5, True, None),) * 2),
    "a report and exit 1": (
        line("report(score=1.0, passed=True); sys.exit(1)"),
        ((JUDGED, 1.0, False, None),) * 2,
    ),
    "a report and an exception": (line("report(1.0); raise ValueError"), CRASH),
    "a report and exit 2": (line("report(1.0); sys.exit(2)"), GARBAGE),
    "two reports": (line("report(1.0); report(0.25)"), ((JUDGED, 0.25, False, None),) * 2),
    "a report that is none": (line("report(score=7)"), GARBAGE),
}

# Only a script prints its verdict.
PRINTED = {
    "a verdict": ("print('{\"score\": 1.0}')", (SCORED_1, SCORED_1)),
    "a verdict and exit 1": (
        'print(\'{"score": 1.0, "passed": true}\'); sys.exit(1)',
        ((JUDGED, 1.0, False, None),) * 2,
    ),
    "a verdict and exit 0": ("print('{\"score\": 1.0}'); sys.exit(0)", (SCORED_1, SCORED_1)),
    "a verdict and a hard exit": ("print('{\"score\": 1.0}', flush=True); os._exit(0)", (SCORED_1, SCORED_1)),
    "a verdict and exit 2": ("print('{\"score\": 1.0}'); sys.exit(2)", GARBAGE),
    "a verdict and exit 5": ("print('{\"score\": 1.0}'); sys.exit(5)", CRASH),
    "a verdict and an exception": ("print('{\"score\": 1.0}'); raise ValueError", CRASH),
    "a verdict and a death": (
        "print('{\"score\": 1.0}', flush=True); os.abort()",
        CRASH,
    ),
    "a verdict and a hang": (
        "print('{\"score\": 1.0}', flush=True); time.sleep(60)",
        ((NOBODY, 0.0, False, "verifier_timeout"), (JUDGED, 0.0, False, "solution_timeout")),
    ),
    "two verdicts": (
        'print(\'{"score": 1.0}\'); print(\'{"score": 0.5, "passed": true}\')',
        ((JUDGED, 0.5, True, None),) * 2,
    ),
    "a key twice": ('print(\'{"score": 1.0, "score": 1.0}\')', GARBAGE),
    "words around it": ("print('so:'); print('{\"score\": 1.0}'); print('done')", (SCORED_1, SCORED_1)),
    "on stderr": ("print('{\"score\": 1.0}', file=sys.stderr)", GARBAGE),
    "words only": ("print('1.0')", GARBAGE),
    "after a flood": ("print('x' * 10_000_000); print('{\"score\": 1.0}')", (SCORED_1, SCORED_1)),
    "a report over what it prints": (
        "report(0.5); print('{\"score\": 1.0}')",
        ((JUDGED, 0.5, False, None),) * 2,
    ),
}

# What an answer does, and what becomes of a run whose verifier does not handle it.
TIMED_OUT = (JUDGED, 0.0, False, "solution_timeout")
ANSWERS = {
    "raises": ("def f(): raise ValueError", FAILED),
    "raises a base exception": ("def f(): raise SystemExit(0)", FAILED),
    "leaves": ("import os\ndef f(): os._exit(0)", FAILED),
    "dies": ("import ctypes\ndef f(): ctypes.string_at(0)", FAILED),
    "hangs": ("def f():\n    while True: pass", TIMED_OUT),
    "sleeps": ("import time\ndef f(): time.sleep(60)", TIMED_OUT),
    "stops itself": ("import os, signal\ndef f():\n    os.kill(0, 19)\n    while True: pass", TIMED_OUT),
    "gives no data": ("def f(): return object()", FAILED),
    "has no such function": ("x = 1", FAILED),
    "is empty": ("", FAILED),
    "is no Python": ("def f(:", FAILED),
    "raises at import": ("raise ValueError", FAILED),
    "leaves at import": ("import sys; sys.exit(0)", FAILED),
    "leaves at import, hard": ("import os; os._exit(121)", FAILED),
    "dies at import": ("import ctypes; ctypes.string_at(0)", FAILED),
    "hangs at import": ("while True: pass", TIMED_OUT),
    "forges a launch error": (
        "class LaunchError(BaseException): __module__ = 'deepgym_solution.errors'\nraise LaunchError('x')",
        FAILED,
    ),
    "closes every descriptor": ("import os\ndef f():\n    os.closerange(0, 200)\n    return 1", FAILED),
    "fills its disk": (
        "def f():\n    file = open('/tmp/x', 'wb')\n    while True: file.write(b'x' * 1_000_000)",
        FAILED,
    ),
    "fills its memory": ("def f():\n    x = []\n    while True: x.append(bytearray(10_000_000))", FAILED),
    "eats its memory and is killed": (
        """
import os
def f():
    for _ in range(20):
        if os.fork() == 0:
            x = bytearray(b'x' * 50_000_000)
            while True: pass
    os.wait()
""",
        FAILED,
    ),
    "kills everything": ("import os\ndef f():\n    os.kill(-1, 9)\n    os._exit(9)", FAILED),
    "writes to its channel": ("import os\ndef f():\n    os.write(3, b'x' * 100)\n    return 1", FAILED),
    "closes its channel": ("import os\ndef f():\n    os.close(3)\n    return 1", FAILED),
}


def environment(shape, lines, **options):
    code = "import sys, os, time, ctypes\nfrom deepgym_solution import *\n"
    if shape == "verify_function":
        code += "def verify(solution_path, test_cases_path=None):\n" + textwrap.indent(lines, "    ")
    else:
        code += lines
    return Environment(
        task="t", verifier_code=code, verifier_mode=shape, timeout=options.pop("timeout", 10.0), **options
    )


def ending_lines(shape, ending):
    if "line" in ending:
        return ending["line"]
    if shape == "script":
        text = ending["value"]
        # A script can print a number only as part of a verdict.
        shown = text if text.startswith("{") or text == "None" else f"{{'score': {text}}}"
        if text in ("True", "False"):
            shown = f"{{'score': float({text})}}"
        return f"import json\nif {shown} is not None: print(json.dumps({shown}))"
    return f"return {ending['value']}"


def outcome(result):
    return result.has_verdict, result.score, result.passed, result.error_type


@pytest.mark.parametrize("in_play", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ENDINGS)
def test_how_a_verifier_ends_decides(dg, name, shape, in_play):
    ending, expected = ENDINGS[name]
    begin = "sol = load_solution(solution_path)\n" if in_play else ""
    timeout = 0.7 if name == "a hang" else 10.0
    env = environment(shape, begin + ending_lines(shape, ending), timeout=timeout)
    result = dg.run(env, "def f(): return 1")
    assert outcome(result) == expected[in_play], result.details
    check_consistency(result)


@pytest.mark.parametrize("in_play", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("name", PRINTED)
def test_what_a_script_prints_decides(dg, name, in_play):
    lines, expected = PRINTED[name]
    begin = "run_solution(solution_path)\n" if in_play else ""
    env = environment("script", begin + lines, timeout=0.7 if "hang" in name else 10.0)
    result = dg.run(env, "x = 1")
    assert outcome(result) == expected[in_play], result.details
    check_consistency(result)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ANSWERS)
def test_what_an_answer_does_and_nobody_handles_is_a_judged_zero(dg, name, shape):
    answer, expected = ANSWERS[name]
    lines = "sol = load_solution(solution_path)\nscore = float(sol.f() == 1)\nsol.f()\n"
    lines += "print('{\"score\": 1.0}')" if shape == "script" else "return score"
    patience = 0.2 if expected is TIMED_OUT else 10.0
    env = environment(shape, lines, case_timeout=patience, memory_mb=400, tmp_mb=20)
    result = dg.run(env, answer)
    assert outcome(result) == expected, result.details
    check_consistency(result)


@pytest.mark.parametrize("name", ANSWERS)
def test_a_verifier_that_handles_it_keeps_its_word(each_dg, name):
    lines = """\
try:
    sol = load_solution(solution_path)
    sol.f()
    sol.f()
except SolutionError:
    return 0.5
return 1.0
"""
    answer, expected = ANSWERS[name]
    patience = 0.2 if expected is TIMED_OUT else 10.0
    env = environment("body", lines, case_timeout=patience, memory_mb=400, tmp_mb=20)
    assert outcome(each_dg.run(env, answer)) == (True, 0.5, False, None)


@pytest.mark.parametrize("begins", ["load_solution(solution_path)", "run_solution(solution_path)"])
def test_a_solution_that_runs_the_clock_out_is_to_blame(dg, begins):
    env = environment("body", f"{begins}\nreturn 1.0", timeout=0.7, case_timeout=30)
    result = dg.run(env, "while True: pass")
    assert outcome(result) == TIMED_OUT
    assert result.execution_time_ms < 8_000


def test_reading_a_solution_is_not_running_it(dg):
    env = environment("body", "solution_source(solution_path)\nopen(solution_path).read()\nraise ValueError")
    assert outcome(dg.run(env, "x = 1")) == (False, 0.0, False, "runtime_error")


def test_a_machine_that_cannot_start_a_solution_gives_no_verdict(dg):
    lines = """\
import os
for number in os.listdir("/proc/self/fd"):  # the way to the solution host
    if number.isdigit() and int(number) > 5 and "socket" in os.readlink(f"/proc/self/fd/{number}"):
        os.close(int(number))
try:
    load_solution(solution_path)
except Exception:
    return 0.0
return 1.0
"""
    result = dg.run(environment("body", lines), "x = 1")
    assert outcome(result) == (False, 0.0, False, "sandbox_error")
    assert "cannot be reached" in result.details


def check_consistency(result):
    """What holds for every result, whatever happened."""
    assert result.reward == (result.score if result.has_verdict else None)
    assert not (result.passed and not result.has_verdict)
    assert result.isolation == "sealed"
    assert (
        result.exit_code == (0 if result.passed else 1)
        if result.has_verdict
        else result.exit_code not in (0, 1)
    )
    assert type(result).model_validate_json(result.model_dump_json()) == result

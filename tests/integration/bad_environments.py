"""One deliberately bad environment for each rule of `deepgym check`, and its repaired twin.

All ask for `double(x)`, or for a program that doubles the number it reads. A pair is two folders' files, which differ
in the one thing that the rule is about.
"""

from __future__ import annotations

import json
from pathlib import Path

TASK = "Write a function `double(x)` that returns twice the integer `x`.\n"
PROGRAM_TASK = "Write a program that reads an integer and prints twice its value.\n"
FILE_TASK = "Write a program that writes the word `done` into the file `out.txt`.\n"
REFERENCE = "def double(x):\n    return 2 * x\n"
PROGRAM = "print(2 * int(input()))\n"
FILE_PROGRAM = "open('out.txt', 'w').write('done')\n"

HEAD = """\
import math
from deepgym_solution import SolutionError, load_solution, read_output, report, run_seed, run_solution

INPUTS = [3, -4, 10]


def case(name, passed, why):
    return {"id": name, "passed": passed, **({} if passed else {"error": why})}


def verdict(cases):
    hits = sum(item["passed"] for item in cases)
    return {"score": hits / len(cases), "passed": hits == len(cases), "cases": cases}


"""
GOOD_BODY = """\
def verify(solution_path, test_cases_path=None):
    solution = load_solution(solution_path)
    cases = []
    for x in INPUTS:
        try:
            got = solution.double(x)
        except SolutionError as error:
            cases.append(case(f"double {x}", False, str(error)))
            continue
        right = type(got) is int and got == 2 * x
        cases.append(case(f"double {x}", right, f"{got!r} is not {2 * x!r}"))
    return verdict(cases)
"""
GOOD = HEAD + GOOD_BODY

LISTS = """\
def verify(solution_path, test_cases_path=None):
    solution = load_solution(solution_path)
    got = solution.call("map_double", INPUTS)
    expected = [2 * x for x in INPUTS]
    if type(got) is not list{lengths}:
        return verdict([case("all", False, "no list of that length")])
    return verdict([
        case(f"item {{number}}", type(left) is int and left == right, f"{{left!r}}")
        for number, (left, right) in enumerate(zip(got, expected{strict}))
    ])
"""
LIST_TASK = "Write a function `map_double(numbers)` that returns a list with twice each integer.\n"
LIST_REFERENCE = "def map_double(numbers):\n    return [2 * x for x in numbers]\n"

PROGRAM_BODY = """\
def verify(solution_path, test_cases_path=None):
    cases = []
    for x in INPUTS:
        done = run_solution(solution_path, stdin=f"{x}\\n")
        RIGHT
        cases.append(case(f"double {x}", right, f"printed {done.stdout!r}"))
    return verdict(cases)
"""


def program_body(right):
    return HEAD + PROGRAM_BODY.replace("RIGHT", f"right = {right}")


def files(verifier, task=TASK, reference=REFERENCE, **more):
    """The files of an environment's folder."""
    found = {"task.md": task, "verifier.py": verifier, **more}
    return found if reference is None else {**found, "reference_solution.py": reference}


def write_environment(folder: Path, content: dict[str, str | bytes]) -> Path:
    """Write an environment's files into a new folder."""
    for name, text in content.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def settings(**values):
    return json.dumps(values)


def edited(old, new, source=GOOD):
    assert old in source
    return source.replace(old, new)


def script(last):
    return (
        HEAD
        + """\
import sys
solution = load_solution(sys.argv[1])
cases = []
for x in INPUTS:
    try:
        got = solution.double(x)
    except SolutionError as error:
        got = f"{error}"
    cases.append(case(f"double {x}", type(got) is int and got == 2 * x, f"{got!r}"))
"""
        + last
    )


TOLERANCE = """\
def verify(solution_path, test_cases_path=None):
    solution = load_solution(solution_path)
    cases = []
    for x in INPUTS:
        got = solution.half(x)
        CHECK
        cases.append(case(f"half {x}", right, f"{got!r}"))
    return verdict(cases)
"""
HALF_TASK = "Write a function `half(x)` that returns half of the integer `x`, as a float.\n"
HALF = "def half(x):\n    return x / 2\n"

ESCAPE = """\
        except SolutionError as error:
            cases.append(case(f"double {x}", False, str(error)))
            continue
"""

OUTPUT = (
    HEAD
    + """\
import tempfile
from pathlib import Path


def verify(solution_path, test_cases_path=None):
    folder = Path(tempfile.mkdtemp())
    run_solution(solution_path, cwd=folder)
    try:
        text = READ
    except (SolutionError, OSError) as error:
        return verdict([case("out.txt", False, str(error))])
    return verdict([case("out.txt", text == "done", f"{text!r}")])
"""
)

SEEDED = """\
import random


def make_cases(seed):
    rng = random.Random(SEED)
    return [(rng.randrange(1000),) for _ in range(5)]
"""
SEEDED_VERIFIER = edited("for x in INPUTS", "for (x,) in make_cases(run_seed())", GOOD).replace(
    "import math", "import math\nfrom variants import make_cases"
)

# rule -> (bad, repaired)
PAIRS: dict[str, tuple[dict[str, str | bytes], dict[str, str | bytes]]] = {
    "DG001": (
        files(GOOD, **{"metadata.json": settings(timeuot=3)}),
        files(GOOD, **{"metadata.json": settings(timeout=3)}),
    ),
    "DG002": (files(GOOD, reference=None), files(GOOD)),
    "DG003": (files("def verify(solution_path):\n    return (\n"), files(GOOD)),
    "DG004": (files(GOOD, task="Return twice the integer.\n"), files(GOOD)),
    "DG005": (
        files(GOOD, **{"solutions/right/other.py": b"def double(x): return x * 2 # \xff\n"}),
        files(GOOD, **{"solutions/right/other.py": b"def double(x): return x * 2\n"}),
    ),
    "DG101": (
        files(
            edited(
                "solution = load_solution(solution_path)",
                "import importlib.util\n"
                "    spec = importlib.util.spec_from_file_location('candidate', solution_path)\n"
                "    solution = importlib.util.module_from_spec(spec)\n"
                "    spec.loader.exec_module(solution)",
            )
        ),
        files(GOOD),
    ),
    "DG102": (
        files(edited("return verdict(cases)", "cases[0]['passed'] |= solution.score\n    return verdict(cases)"))
        | {"reference_solution.py": REFERENCE + "score = True\n"},
        files(GOOD),
    ),
    "DG103": (files(edited("type(got) is int and got == 2 * x", "got == 2 * x")), files(GOOD)),
    "DG104": (
        files(
            HEAD + LISTS.format(lengths="", strict="").replace(
                "return verdict([\n", "cases = ([\n"
            ) + '    hits = sum(item["passed"] for item in cases)\n'
            '    return {"score": hits / max(len(got), 1), "passed": hits == 3, "cases": cases}\n',
            LIST_TASK, LIST_REFERENCE,
        ),
        files(
            HEAD + LISTS.format(lengths=" or len(got) != len(expected)", strict=", strict=True"),
            LIST_TASK, LIST_REFERENCE,
        ),
    ),
    "DG105": (
        files(HEAD + LISTS.format(lengths="", strict=""), LIST_TASK, LIST_REFERENCE),
        files(
            HEAD + LISTS.format(lengths=" or len(got) != len(expected)", strict=", strict=True"),
            LIST_TASK, LIST_REFERENCE,
        ),
    ),
    "DG106": (
        files(program_body("str(2 * x) in done.stdout"), PROGRAM_TASK, PROGRAM),
        files(program_body("done.stdout.split() == [str(2 * x)]"), PROGRAM_TASK, PROGRAM),
    ),
    "DG107": (files(edited(ESCAPE, "        except SolutionError:\n            continue\n")
                    .replace("len(cases)", "len(INPUTS)")), files(GOOD)),
    "DG108": (files(edited("except SolutionError as error", "except BaseException as error")), files(GOOD)),
    "DG109": (
        files(edited("    return verdict(cases)", '    return {"score": verdict(cases)["score"]}')),
        files(GOOD),
    ),
    "DG110": (files(edited("    return verdict(cases)", '    return {"score": 1.0, "cases": cases}')), files(GOOD)),
    "DG111": (
        files(program_body("eval(done.stdout or '0') is 2 * x or done.stdout == f'{2 * x}\\n'"), PROGRAM_TASK, PROGRAM),
        files(program_body("done.stdout == f'{2 * x}\\n'"), PROGRAM_TASK, PROGRAM),
    ),
    "DG112": (
        files(script("print(solution.double(1))\nreport(verdict(cases))\n")),
        files(script("report(verdict(cases))\n")),
    ),
    "DG113": (
        files(
            HEAD + TOLERANCE.replace(
                "CHECK", "right = type(got) is float\n        if right and abs(got - x / 2) > 1e-9:\n            right = False"
            ), HALF_TASK, HALF
        ),
        files(
            HEAD + TOLERANCE.replace(
                "CHECK", "right = type(got) is float and math.isfinite(got) and abs(got - x / 2) <= 1e-9"
            ), HALF_TASK, HALF
        ),
    ),
    "DG114": (
        files(SEEDED_VERIFIER, **{"variants.py": SEEDED.replace("SEED", "1234")}),
        files(SEEDED_VERIFIER, **{"variants.py": SEEDED.replace("SEED", "seed")}),
    ),
    "DG115": (
        files(OUTPUT.replace("READ", "(folder / 'out.txt').read_text()"), FILE_TASK, FILE_PROGRAM),
        files(OUTPUT.replace("READ", "read_output('out.txt', folder)"), FILE_TASK, FILE_PROGRAM),
    ),
    "DG116": (
        files(
            HEAD + "def verify(solution_path, test_cases_path=None):\n"
            "    done = run_solution(solution_path, stdin='3\\n')\n"
            "    ok = done.returncode == 0\n"
            '    return {"score": float(ok), "cases": [case("runs", ok, "it failed")]}\n',
            PROGRAM_TASK, PROGRAM,
        ),
        files(program_body("done.stdout == f'{2 * x}\\n'"), PROGRAM_TASK, PROGRAM),
    ),
    "DG201": (files(GOOD, reference="def double(x):\n    return x + x if x < 5 else 0\n"), files(GOOD)),
    "DG202": (
        files(edited("str(error)))", "str(error)))").replace(
            "    return verdict(cases)", '    import time\n    return {**verdict(cases), "details": str(time.time_ns())}'
        )),
        files(GOOD),
    ),
    "DG203": (
        files(edited("    solution = load_solution(solution_path)",
                     "    solution = load_solution(solution_path)\n    free = case('loads', True, '')")
              .replace("    cases = []", "    cases = [free]")),
        files(GOOD),
    ),
    "DG204": (files(edited('**({} if passed else {"error": why})', "")), files(GOOD)),
    "DG205": (
        files(edited("cases = []", "cases = [case('short', not hasattr(solution, 'helper'), 'it has a helper')]"),
              **{"solutions/right/helped.py": "def helper(x): return x\ndef double(x): return helper(x) + x\n"}),
        files(GOOD, **{"solutions/right/helped.py": "def helper(x): return x\ndef double(x): return helper(x) + x\n"}),
    ),
    "DG206": (
        files(edited("[3, -4, 10]", "[2]"), **{"solutions/wrong/square.py": "def double(x): return x * x\n"}),
        files(GOOD, **{"solutions/wrong/square.py": "def double(x): return x * x\n"}),
    ),
    "DG208": (files(edited("    cases = []", "    cases = NOTHING", GOOD.replace("    solution = load", "    NOTHING\n    solution = load"))), files(GOOD)),
}  # fmt: skip

"""One deliberately gameable environment for each finding of `deepgym qa`, and its repaired twin.

Each pair names the examinations that are enough to tell the two apart.
"""

from __future__ import annotations

from tests.integration.bad_environments import (
    HEAD,
    REFERENCE,
    SEEDED,
    SEEDED_VERIFIER,
    TASK,
    files,
    settings,
)

VARIANTS = {"variants.py": SEEDED.replace("SEED", "seed")}
STRONG = files(SEEDED_VERIFIER, **VARIANTS)
BIG_TASK = "Write a function `is_big(x)` that returns whether the integer `x` is above 500.\n"
BIG = "def is_big(x):\n    return x > 500\n"
BIG_BODY = """\
from variants import make_cases


def verify(solution_path, test_cases_path=None):
    solution = load_solution(solution_path)
    cases = []
    for name, inputs in make_cases(run_seed()):
        wrong = []
        for x in inputs:
            try:
                got = solution.is_big(x)
            except SolutionError as error:
                wrong.append(f"{x}: {type(error).__name__}")
                continue
            if type(got) is not bool or got != (x > 500):
                wrong.append(f"{x}: {got!r}")
        cases.append(case(name, not wrong, "; ".join(wrong)[:200]))
    return verdict(cases)
"""
BIG_VARIANTS = """\
import random


def make_cases(seed):
    rng = random.Random(seed)
    low = [rng.randrange(500) for _ in range(6)] + [500, 499]
    high = [rng.randrange(501, 1000) for _ in range(6)] + [501]
    CASES
"""
APART = "return [(f'{x}', [x]) for x in low + high]"
TOGETHER = "return [(f'pair {at}', [low[at], high[at], 500, 501]) for at in range(6)]"

CLIP_TASK = (
    "Write a function `clip(x, low, high)` that returns the integer `x`, or the bound that it is beyond.\n"
)
CLIP = "def clip(x, low, high):\n    if x < low:\n        return low\n    if x > high:\n        return high\n    return x\n"
CLIP_BODY = """\
def verify(solution_path, test_cases_path=None):
    solution = load_solution(solution_path)
    cases = []
    for x, low, high in TRIPLES:
        try:
            got = solution.clip(x, low, high)
        except SolutionError as error:
            cases.append(case(f"clip {x}", False, f"{type(error).__name__}"))
            continue
        expected = min(max(x, low), high)
        cases.append(case(f"clip {x} {low} {high}", type(got) is int and got == expected, f"{got!r}"))
    return verdict(cases)
"""
WEAK = "TRIPLES = [(5, 1, 9), (4, 2, 7), (6, 3, 8)]\n\n\n"
FULL = "TRIPLES = [(5, 1, 9), (0, 2, 7), (10, 3, 8), (-5, -3, 1), (2, 2, 7), (7, 2, 7)]\n\n\n"


def replaced(content, old, new, name="verifier.py"):
    assert old in content[name]
    return {**content, name: content[name].replace(old, new)}


FAILED = 'cases.append(case(f"double {x}", False, str(error)))\n            continue'
LOAD = "    solution = load_solution(solution_path)\n"
TYPED = "type(got) is int and got == 2 * x"
SHOWN_TASK = TASK + "\n`double(3)` returns 6 and `double(-4)` returns -8; `double(10)` returns 20.\n"

# rule -> (examinations, bad, repaired)
PAIRS = {
    "DG301": (
        ["cheats"],
        # An error without words is taken for no error.
        replaced(STRONG, FAILED, 'cases.append(case(f"double {x}", not str(error), str(error)))\n            continue'),
        STRONG,
    ),
    "DG302": (
        ["floor"],
        files(HEAD + BIG_BODY, BIG_TASK, BIG, **{"variants.py": BIG_VARIANTS.replace("CASES", APART)}),
        files(HEAD + BIG_BODY, BIG_TASK, BIG, **{"variants.py": BIG_VARIANTS.replace("CASES", TOGETHER)}),
    ),
    "DG303": (
        ["mutants"],
        files(HEAD + WEAK + CLIP_BODY, CLIP_TASK, CLIP),
        files(HEAD + FULL + CLIP_BODY, CLIP_TASK, CLIP),
    ),
    "DG304": (
        ["forms"],
        replaced(
            STRONG, LOAD, LOAD + "    if open(solution_path).read().count('\\n') > 3:\n"
            "        return verdict([case('short', False, 'it is too long')])\n"
        ),
        STRONG,
    ),
    "DG305": (
        ["steadiness"],
        replaced(STRONG, "return verdict(cases)", "cases[0]['passed'] &= run_seed() % 4 != 3\n    return verdict(cases)"),
        STRONG,
    ),
    "DG306": (
        ["steadiness"],
        {**STRONG, "metadata.json": settings(case_timeout=1.5),
         "reference_solution.py": "import time\ntime.sleep(0.9)\n" + REFERENCE},
        {**STRONG, "metadata.json": settings(case_timeout=10.0),
         "reference_solution.py": "import time\ntime.sleep(0.9)\n" + REFERENCE},
    ),
    "DG307": (["floor"], files(HEAD + "import variants\n" + SEEDED_VERIFIER.replace("make_cases(run_seed())", "make_cases(7)")
                               .removeprefix(HEAD), **VARIANTS), STRONG),
    "DG308": (
        ["floor"],
        files(SEEDED_VERIFIER.replace("make_cases(run_seed())", "[(3,), (-4,), (10,)]"), SHOWN_TASK, **VARIANTS),
        {**STRONG, "task.md": SHOWN_TASK},
    ),
    "DG309": (
        ["cheats"],
        replaced(
            STRONG, LOAD, "    if 'import os' in open(solution_path).read():\n        raise ValueError('forbidden')\n" + LOAD
        ),
        replaced(
            STRONG, LOAD, "    if 'import os' in open(solution_path).read():\n"
            "        return verdict([case('import', False, 'forbidden')])\n" + LOAD
        ),
    ),
    "DG310": (
        ["cheats"],
        replaced(STRONG, f"right = {TYPED}", "right = got == 2 * x  # deepgym: allow DG103 -- tried below"),
        STRONG,
    ),
    "DG311": (
        ["mutants"],
        {**STRONG, "reference_solution.py": "double = (2).__mul__\n"},
        STRONG,
    ),
}  # fmt: skip

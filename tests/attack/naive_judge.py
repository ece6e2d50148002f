"""A judge of the kind that the wall replaces: it shares a machine, a user and a process with the solution.

    python naive_judge.py KIND SOLUTION RESULT SECRET

It stands in a folder with the answer key, holds the key in its memory, its arguments and its environment, runs the
solution in its own process and believes what comes out. It writes what it concluded to RESULT.
"""

import importlib
import json
import os
import subprocess
import sys


def load(path):
    sys.path.insert(0, os.path.dirname(path))
    return importlib.import_module(os.path.splitext(os.path.basename(path))[0])


def judge_probe(path, secret):
    expected = secret  # noqa: F841 - it is what a walk over the frames is after
    return load(path).attack()


def judge_compare(path, secret):
    """The shape of most verifiers: an expected value, a call, a comparison."""
    solution = load(path)
    cases = [([3, 1, 2], [1, 2, 3]), ([5, 4], [4, 5]), ([9, 9, 1], [1, 9, 9])]
    passed = 0
    for given, expected in cases:
        got = solution.attack(given)
        if got == expected or not got != expected:  # noqa: SIM202 - as such verifiers are written
            passed += 1
    return "BREACH: full score" if passed == len(cases) else f"blocked: {passed} of {len(cases)}"


def judge_tolerance(path, secret):
    solution = load(path)
    wrong = sum(abs(solution.attack(n) - n * 1.5) > 1e-6 for n in (1, 2, 3))
    return "BREACH: full score" if wrong == 0 else f"blocked: {wrong} wrong"


def judge_truth(path, secret):
    solution = load(path)
    right = all(solution.attack(n) for n in (4, 6, 9))
    return "BREACH: full score" if right else "blocked: not true"


def judge_arguments(path, secret):
    """Work out the expected value after the call, from the argument that the solution was given."""
    solution = load(path)
    for given in ([3, 1, 2], [5, 4]):
        got = solution.attack(given)
        if got != sorted(given):
            return "blocked: wrong"
    return "BREACH: full score"


def judge_script(path, secret):
    """Run the solution as a program and read the file it was to write."""
    work = os.path.abspath("work")
    os.makedirs(work, exist_ok=True)
    ended = subprocess.run(
        [sys.executable, path], cwd=work, capture_output=True, timeout=20, check=False, close_fds=False
    )
    sys.stdout.buffer.write(ended.stdout)
    said = ended.stdout.decode("utf-8", "replace")
    if "BREACH" in said:
        return said[said.index("BREACH") :][:500]
    with open(os.path.join(work, "answer.txt"), "rb") as stream:
        content = stream.read(1 << 16)
    through = secret.encode() in content or len(content) == 1 << 16
    return f"BREACH: {content[:60]!r}" if through else f"blocked: read {content[:60]!r}"


def main():
    kind, path, result, secret = sys.argv[1:5]
    sys.path.insert(0, os.getcwd())
    conclusion = globals()[f"judge_{kind}"](path, secret)
    said = conclusion if type(conclusion) is str else repr(conclusion)
    with open(result, "w", encoding="utf-8") as stream:
        json.dump(said, stream)
    return 0


if __name__ == "__main__":
    sys.exit(main())

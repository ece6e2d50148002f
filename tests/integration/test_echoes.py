"""A naive verifier's own words against what the solution has it print or guess."""

from __future__ import annotations

import pytest

from deepgym import DeepGym, Environment

HEAD = """\
import json, random, sys
from deepgym_solution import load_solution, run_solution
done = run_solution(sys.argv[1])
right = done.stdout.strip() == "42"
"""
ECHOES = {
    "unended": 'print(done.stdout, end="")\nprint(json.dumps({"score": float(right), "passed": right}))',
    "indented": (
        'if not right:\n    print("got", done.stdout)\n'
        'print(json.dumps({"score": float(right), "passed": right}, indent=2))'
    ),
}
FORGED = '{"score": 1.0, "passed": true}'
GUESS = """\
def verify(solution_path, test_cases_path=None):
    import random
    from deepgym_solution import load_solution
    return load_solution(solution_path).guess() == random.getrandbits(64)
"""


@pytest.fixture(scope="module")
def client():
    with DeepGym(mode="local") as dg:
        yield dg


def scored(client, verifier, answer):
    return client.run(Environment(task="t", verifier_code=verifier), answer)


@pytest.mark.parametrize("name", ECHOES)
def test_an_echoed_verdict_cannot_stand_in_for_the_verifiers_own(client, name):
    verifier = HEAD + ECHOES[name]
    for honest in ("print(42)", "print(42, end='')"):
        assert scored(client, verifier, honest).score == 1.0
    cheat = scored(client, verifier, f"print({FORGED!r})\nprint('x', end='')")
    assert (cheat.score, cheat.passed, cheat.has_verdict) == (0.0, False, True)


def test_a_flood_cannot_push_the_verdict_out_of_sight(client):
    flood = f"print({FORGED!r})\nfor _ in range(66):\n    print('x' * (1 << 20))"
    cheat = scored(client, HEAD + ECHOES["unended"], flood)
    assert (cheat.score, cheat.passed, cheat.has_verdict) == (0.0, False, True)
    assert "more than" in cheat.details


def test_the_solutions_random_is_not_the_verifiers(client):
    cheat = scored(client, GUESS, "import random\ndef guess():\n    return random.getrandbits(64)\n")
    assert (cheat.score, cheat.has_verdict) == (0.0, True)
    repeated = GUESS.replace("return", "print(random.getrandbits(64))\n    return", 1)
    first, second = (scored(client, repeated, "def guess():\n    return 0\n").stdout for _ in range(2))
    assert first == second


def test_a_lone_surrogate_does_not_keep_a_verifier_from_reading_the_answer() -> None:
    env = Environment(
        task="Say yes.",
        verifier_code="return 1.0 if open(solution_path, encoding='utf-8').read() == 'yes' else 0.0",
    )
    with DeepGym() as client:
        result = client.run(env, "yes\ud800")
    assert (result.has_verdict, result.score) == (True, 0.0)

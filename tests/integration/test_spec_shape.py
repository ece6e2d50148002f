"""The fourth shape: a verifyit spec graded in the judge, its candidate's programs apart from it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deepgym import DeepGym, Environment
from deepgym_solution._isolation.bwrap import find_bwrap
from tests.support import require


@pytest.fixture(scope="module")
def client() -> Iterator[DeepGym]:
    path, why = find_bwrap()
    require("bwrap", None if path else why)
    with DeepGym() as client:
        yield client


def spec(text: str, **fields: object) -> Environment:
    return Environment(task="t", verifier_code=text, verifier_mode="spec", **fields)


STDIO = spec(
    'mode = "stdio"\ncommand = "python3 solution.py"\n',
    support_files={
        "cases/input_1.txt": "3\n",
        "cases/output_1.txt": "9\n",
        "cases/input_2.txt": "4\n",
        "cases/output_2.txt": "16\n",
    },
    case_timeout=5,
)


@pytest.mark.parametrize(
    ("text", "answer", "score"),
    [
        ('mode = "exact"\nexpected = "Helsinki"\n', "helsinki", 1.0),
        ('mode = "exact"\nexpected = "Helsinki"\n', "Turku", 0.0),
        ('mode = "exact"\nexpected = "Helsinki"\n', "", 0.0),
        ('mode = "mcq"\nexpected = "B"\n', "Answer: B", 1.0),
        ('mode = "structured_exact"\nexpected = "[1, 2]"\n', "[1, true]", 0.0),
    ],
)
def test_a_scored_answer_is_a_verdict(client: DeepGym, text: str, answer: str, score: float) -> None:
    result = client.run(spec(text), answer)
    assert (result.has_verdict, result.score, result.passed) == (True, score, score == 1.0)


def test_an_unusable_spec_gives_no_verdict(client: DeepGym) -> None:
    result = client.run(spec('mode = "mcq"\nexpected = "Z"\n'), "Answer: B")
    assert (result.has_verdict, result.error_type) == (False, "verifier_error")
    assert "unusable" in result.details


def test_a_program_is_run_on_every_case(client: DeepGym) -> None:
    assert client.run(STDIO, "n = int(input())\nprint(n * n)\n").score == 1.0
    assert client.run(STDIO, "print(9)\n").score == 0.0


def test_a_program_cannot_read_the_expected_outputs(client: DeepGym) -> None:
    search = """
import os, sys
n = input()
for base, _, files in os.walk("/"):
    for name in files:
        if name.startswith("output_"):
            print(open(os.path.join(base, name)).read())
            sys.exit()
print("nothing found")
"""
    result = client.run(STDIO, search)
    assert result.score == 0.0
    assert "mismatch" in result.details

"""The published example cases, each with the verdict that it must get."""

import json
from pathlib import Path

import pytest

from verifyit.candidate import candidate_spec, grade_candidate
from verifyit.spec import FunctionCall, parse_spec, render_spec

PATH = Path(__file__).parents[2] / "data" / "verifyit_examples.jsonl"
CASES = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]


def candidate_of(case):
    if case["mode"] == "predicted_action" and isinstance(case["candidate"], list):
        return tuple(FunctionCall(**call) for call in case["candidate"])
    return case["candidate"]


def test_there_are_sixty_examples_with_ids_of_their_own():
    assert len({case["id"] for case in CASES}) == 60


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_example_gets_its_verdict(case):
    if "raises" in case:
        with pytest.raises(Exception) as caught:
            candidate_spec(case["mode"], case["spec"])
        assert type(caught.value).__name__ == case["raises"]
        return
    spec = candidate_spec(case["mode"], case["spec"])
    resources = {name: text.encode() for name, text in case.get("resources", {}).items()}
    verdict = grade_candidate(spec, candidate_of(case), resources)
    assert (verdict.status, verdict.reward) == (case["expect"]["status"], case["expect"]["reward"])


@pytest.mark.parametrize(
    "case", [case for case in CASES if "raises" not in case], ids=lambda case: case["id"]
)
def test_the_spec_of_the_example_survives_a_round_trip_through_toml(case):
    spec = candidate_spec(case["mode"], case["spec"])
    assert parse_spec(render_spec(spec)) == spec

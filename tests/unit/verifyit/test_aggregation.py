import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifyit.grade import (
    Aggregation,
    PreparationCategory,
    Status,
    aggregate_first_fit,
    aggregate_rewards,
    finalize_preparation_failure,
)
from verifyit.reward import Reward, infra_error, invalid_task, scored


def combine(values, policy, total=None, **options):
    verdicts = [scored(value) for value in values]
    return aggregate_rewards(
        verdicts, expected_total=len(values) if total is None else total, policy=policy, **options
    )


@pytest.mark.parametrize(
    ("policy", "values", "total", "reward"),
    [
        ("all", [1, 1], 2, 1), ("all", [1, 0.999], 2, 0), ("all", [1], 2, 0), ("mean", [1, 0.5], 2, 0.75), ("mean", [1], 4, 0.25), ("mean", [], 2, 0),
        ("max", [0.2, 0.7], 2, 0.7), ("max", [0.7], 3, 0.7), ("max", [], 1, 0), ("min", [0.2, 0.7], 2, 0.2), ("min", [0.7], 2, 0),
        ("product", [0.5, 0.5], 2, 0.25), ("product", [1], 2, 0), ("all", [], 1, 0),
    ],
)  # fmt: skip
def test_a_policy_combines_the_rewards(policy, values, total, reward):
    verdict = combine(values, Aggregation(policy), total)
    assert (verdict.status, verdict.reward) == ("scored", reward)
    assert verdict.detail == {
        "passed": sum(value == 1 for value in values),
        "total": total,
        "missing": total - len(values),
    }


@pytest.mark.parametrize(
    ("values", "digits", "reward"),
    [
        ([1, 0, 0], 2, 0.33),
        ([1, 0, 0], 0, 0.0),
        ([0.125], 2, 0.12),
        ([0.375], 2, 0.38),
        ([0.5], 0, 0.0),
        ([1], 6, 1.0),
    ],
)
def test_the_result_is_rounded_half_to_even(values, digits, reward):
    assert combine(values, Aggregation.MEAN, round_digits=digits).reward == reward


@pytest.mark.parametrize(
    ("total", "policy", "digits"),
    [(0, Aggregation.ALL, None), (-1, Aggregation.ALL, None), (True, Aggregation.ALL, None), (1.0, Aggregation.ALL, None), (None, Aggregation.ALL, None),
     (1, "all", None), (1, None, None), (1, Aggregation.ALL, 7), (1, Aggregation.ALL, -1), (1, Aggregation.ALL, True), (1, Aggregation.ALL, 1.0)],
)  # fmt: skip
def test_an_unusable_set_up_is_an_invalid_task(total, policy, digits):
    verdict = aggregate_rewards([scored(1)], expected_total=total, policy=policy, round_digits=digits)
    assert verdict.status == "invalid_task"


def test_more_components_than_expected_are_an_invalid_task():
    assert combine([1, 1], Aggregation.MEAN, 1).status == "invalid_task"


@pytest.mark.parametrize("policy", list(Aggregation))
def test_anything_unscored_discards_all_credit_and_infra_comes_first(policy):
    both = [scored(1), invalid_task("bad"), infra_error("late", code=1)]
    verdict = aggregate_rewards(both, expected_total=3, policy=policy)
    assert (verdict.status, verdict.reward) == (Status.INFRA_ERROR, 0.0)
    assert verdict.detail == {"component": 2, "cause": {"error": "late", "code": 1}, "total": 3}
    verdict = aggregate_rewards(both[:2], expected_total=3, policy=policy)
    assert (verdict.status, verdict.detail["component"]) == (Status.INVALID_TASK, 1)


@pytest.mark.parametrize(
    "bad", [None, 1.0, Reward(2.0, Status.SCORED), Reward(math.nan, Status.SCORED), Reward(1, "scored")]
)
def test_a_malformed_component_is_an_infra_error(bad):
    assert aggregate_rewards([bad], expected_total=1, policy=Aggregation.MAX).status == "infra_error"
    assert aggregate_first_fit([[bad]], expected_total=1).status == "infra_error"


@given(
    st.lists(st.floats(0, 1), max_size=6),
    st.integers(1, 8),
    st.sampled_from(Aggregation),
    st.none() | st.integers(0, 6),
)
def test_the_result_is_always_a_verdict(values, total, policy, digits):
    verdict = combine(values, policy, total, round_digits=digits)
    assert 0 <= verdict.reward <= 1
    assert verdict.status == ("invalid_task" if len(values) > total else "scored")


def fit(rows, total=None):
    matrix = [[scored(value) for value in row] for row in rows]
    return aggregate_first_fit(matrix, expected_total=len(rows) if total is None else total)


def test_each_row_takes_its_first_free_passing_column():
    assert fit([[0, 1], [1, 0]]).reward == 1.0
    assert fit([[1, 0], [1, 1]]).reward == 1.0
    greedy = fit([[1, 1], [1, 0]])
    assert (greedy.reward, greedy.detail["matched"]) == (0.0, 1)


def test_other_assignments():
    assert fit([[1, 0]], 1).detail["reason"] == "assignment_cardinality"
    assert fit([[1]], 2).detail["reason"] == "assignment_cardinality"
    assert fit([], 1).detail["reason"] == "assignment_cardinality"
    assert fit([[1, 0], [1]]).status == "infra_error"
    assert fit([[0.5]]).status == "infra_error"
    assert fit([[1]], 0).status == "invalid_task"
    assert fit([[1]], True).status == "invalid_task"
    assert aggregate_first_fit([[invalid_task("x")]], expected_total=1).status == "invalid_task"
    assert (
        aggregate_first_fit([[invalid_task("x"), infra_error("y")]], expected_total=1).status == "infra_error"
    )


@pytest.mark.parametrize(
    ("status", "category", "final"),
    [("scored", "agent", "scored"), ("scored", "unknown", "infra_error"), ("invalid_task", "agent", "invalid_task"),
     ("invalid_task", "unknown", "invalid_task"), ("infra_error", "agent", "infra_error"), ("infra_error", "unknown", "infra_error")],
)  # fmt: skip
def test_a_failed_preparation_is_zero_or_nothing(status, category, final):
    verdict = finalize_preparation_failure(
        status=Status(status), category=PreparationCategory(category), error_type="E", message="m", stage="s"
    )
    assert (verdict.reward, verdict.status) == (0.0, final)
    assert verdict.detail == {
        "error": "m",
        "error_type": "E",
        "category": category,
        "stage": "s",
        "source_status": status,
        "finalization_policy": "failed_preparation_v1",
    }

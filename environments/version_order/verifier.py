"""Compares with an oracle that counts for every version how many others come before it."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def is_older(left, right):
    """The rules of the task, one after the other."""
    (left, left_pre), (right, right_pre) = split(left), split(right)
    if left != right:
        return left < right
    if not left_pre or not right_pre:
        return bool(left_pre) and not right_pre
    for one, other in zip(left_pre, right_pre, strict=False):
        if one != other:
            if one.isdigit() and other.isdigit():
                return int(one) < int(other)
            if one.isdigit() or other.isdigit():
                return one.isdigit()
            return one < other
    return len(left_pre) < len(right_pre)


def split(version):
    numbers, _, pre = version.partition("+")[0].partition("-")
    return [int(number) for number in numbers.split(".")], pre.split(".") if pre else []


def oracle(versions):
    ordered = []
    for version in versions:
        # Behind everything that is not newer, so that equal versions keep their order.
        at = next((i for i, other in enumerate(ordered) if is_older(version, other)), len(ordered))
        ordered.insert(at, version)
    return ordered


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "version_order", make_cases(seed), oracle), seed)

"""Compares the answer, type by type, with an oracle that counts points instead of merging intervals."""

import copy

from deepgym_solution import SolutionError, load_solution, run_seed

from variants import make_cases


def oracle(intervals):
    """The same by another way: sweep over the ends, and cut where nothing is open."""
    events = sorted([(low, -1) for low, _ in intervals] + [(high, 1) for _, high in intervals])
    merged, is_open = [], 0
    for at, kind in events:
        if kind == -1:
            if is_open == 0:
                merged.append([at, at])
            is_open += 1
        else:
            is_open -= 1
            merged[-1][1] = at
    return merged


def same(got, expected):
    """Equal, and of the same types all the way down: True is not 1, a tuple is no list."""
    if type(got) is not type(expected):
        return False
    if type(expected) is list:
        return len(got) == len(expected) and all(map(same, got, expected))
    return got == expected


def check(solution, name, intervals):
    expected = oracle(intervals)
    case = {
        "id": name,
        "passed": False,
        "input_summary": repr(intervals)[:300],
        "expected_summary": repr(expected)[:300],
    }
    try:
        got, after = solution.call("merge_intervals", copy.deepcopy(intervals), returns="args")
    except SolutionError as error:
        return {**case, "error": f"{type(error).__name__}: {error}"}
    case["actual_summary"] = repr(got)[:300]
    if not same(after[0], intervals):
        return {**case, "error": "the argument was changed"}
    if not same(got, expected):
        return {**case, "error": "not the merged intervals, as a list of lists of ints"}
    return {**case, "passed": True}


def verify(solution_path, test_cases_path=None):
    # Drawn anew for every run, on the judge's side; `Environment.seed` repeats one.
    seed = run_seed()
    solution = load_solution(solution_path)
    cases = [check(solution, name, intervals) for name, intervals in make_cases(seed)]
    hits = sum(case["passed"] for case in cases)
    return {
        "score": hits / len(cases),
        "passed": hits == len(cases),
        "details": f"{hits} of {len(cases)} cases passed",
        "cases": cases,
        "seed": seed,
    }

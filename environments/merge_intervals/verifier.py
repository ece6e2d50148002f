"""Compares the answer, type by type, with an oracle that counts open intervals instead of merging them."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(intervals):
    """Sweep over the ends, and cut where nothing is open."""
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


def verify(solution_path, test_cases_path=None):
    # Drawn anew for every run, on the judge's side; `Environment.seed` repeats one.
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "merge_intervals", make_cases(seed), oracle), seed)

"""Compares with an oracle that counts, for every arrival, who has come and who has gone by then."""

from bisect import bisect_right

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(stays):
    arrivals = sorted(arrival for arrival, _ in stays)
    departures = sorted(departure for _, departure in stays)
    counts = [(bisect_right(arrivals, time) - bisect_right(departures, time), -time) for time in arrivals]
    if not counts:
        return None
    guests, time = max(counts)
    return [-time, guests]


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "busiest_moment", make_cases(seed), oracle), seed)

"""Compares with an oracle that joins fields in pairs, until each island has one name."""

from collections import Counter

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(rows):
    land = [(y, x) for y, row in enumerate(rows) for x, field in enumerate(row) if field == "#"]
    parent = {place: place for place in land}

    def root(place):
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for y, x in land:
        for other in ((y + 1, x), (y, (x + 1) % len(rows[y]))):
            if other in parent:
                parent[root(other)] = root((y, x))
    return sorted(Counter(map(root, land)).values())[::-1]


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "island_sizes", make_cases(seed), oracle), seed)

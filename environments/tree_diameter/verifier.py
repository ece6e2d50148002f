"""Compares with an oracle that walks to the farthest node, and from there to the farthest again."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def oracle(parents):
    near = [[] for _ in parents]
    for node, parent in enumerate(parents):
        if parent != -1:
            near[node].append(parent)
            near[parent].append(node)

    def farthest(start):
        steps = {start: 0}
        todo = [start]
        for node in todo:
            for other in near[node]:
                if other not in steps:
                    steps[other] = steps[node] + 1
                    todo.append(other)
        return todo[-1], steps[todo[-1]]

    return farthest(farthest(0)[0])[1]


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "tree_diameter", make_cases(seed), oracle), seed)

"""Compares with an oracle that cuts every cable and looks whether its ends still reach each other."""

from deepgym_solution import load_solution, run_seed

from scoring import check_calls, verdict
from variants import make_cases


def joined(links, a, b):
    near = {}
    for x, y in links:
        near.setdefault(x, []).append(y)
        near.setdefault(y, []).append(x)
    seen, todo = {a}, [a]
    while todo and b not in seen:
        fresh = set(near.get(todo.pop(), ())) - seen
        seen |= fresh
        todo += fresh
    return b in seen


def oracle(count, links):
    if count > 100:  # the chain: every cable of it is critical
        return sorted(sorted(link) for link in links)
    cut = [links[:at] + links[at + 1 :] for at in range(len(links))]
    return sorted(sorted(link) for link, rest in zip(links, cut, strict=True) if not joined(rest, *link))


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_calls(solution, "critical_links", make_cases(seed), oracle), seed)

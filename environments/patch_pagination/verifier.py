"""Applies the diff, loads the project, and compares its functions with oracles that go through the items."""

from deepgym_solution import run_seed

from projects import load_patched
from scoring import check_calls, verdict
from variants import make_count_cases, make_page_cases, make_window_cases


def pages(items, size):
    return [items[at : at + size] for at in range(0, len(items), size)] or [[]]


def page_count(total, size):
    return len(pages([None] * total, size))


def page_of(items, number, size):
    every = pages(items, size)
    inside = [at for at in range(1, len(every) + 1) if at <= number]
    return every[max(inside, default=1) - 1]


def window(number, count, width):
    """Of all windows that fit, the one that holds the page nearest to its middle, from the left."""
    width = min(width, count)
    starts = range(1, count - width + 2)
    middle = (width - 1) // 2
    best = min(starts, key=lambda start: abs(start + middle - number))
    return list(range(best, best + width))


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_patched(solution_path, "pager")
    cases = check_calls(solution, "page_count", make_count_cases(seed), page_count)
    cases += check_calls(solution, "page_of", make_page_cases(seed), page_of)
    cases += check_calls(solution, "window", make_window_cases(seed), window)
    return verdict(cases, seed)

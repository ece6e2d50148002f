"""Checks the order that was given, since many are right; only whether there is one is worked out here."""

from deepgym_solution import load_solution, run_seed

from scoring import check_answers, difference, verdict
from variants import make_cases


def can_be_met(courses, needs):
    after_of = {course: set() for course in courses}
    for before, after in needs:
        after_of[before].add(after)
    left = dict(after_of)
    while left:
        # A course that nothing left needs can be taken last.
        free = [course for course in left if not any(after in left for after in left[course])]
        if not free:
            return False
        for course in free:
            del left[course]
    return True


def judge(order, courses, needs):
    if not can_be_met(courses, needs):
        return difference(order, None)
    if type(order) is not list or not all(type(course) is str for course in order):
        return "the result is no list of names"
    if sorted(order) != sorted(courses):
        return "the result does not hold every course once"
    place = {course: at for at, course in enumerate(order)}
    late = [pair for pair in needs if place[pair[0]] >= place[pair[1]]]
    return f"{late[0][0]!r} does not come before {late[0][1]!r}" if late else None


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    solution = load_solution(solution_path)
    return verdict(check_answers(solution, "course_order", make_cases(seed), judge), seed)

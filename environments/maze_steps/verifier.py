"""Compares the printed lines with an oracle that shortens all ways until none gets shorter."""

from deepgym_solution import run_seed

from programs import check_program
from scoring import verdict
from variants import make_cases


def steps_through(rows):
    fields = {(y, x): f for y, row in enumerate(rows) for x, f in enumerate(row) if f != "#"}
    steps = {place: 0 if field == "S" else None for place, field in fields.items()}
    changed = True
    while changed:
        changed = False
        reached = {}
        for place, field in fields.items():
            if field.islower() and steps[place] is not None:
                reached[field] = min(steps[place], reached.get(field, steps[place]))
        for (y, x), field in fields.items():
            near = [steps.get(place) for place in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1))]
            best = min((n for n in [*near, reached.get(field)] if n is not None), default=None)
            if best is not None and (steps[y, x] is None or best + 1 < steps[y, x]):
                steps[y, x] = best + 1
                changed = True
    return next(steps[place] for place, field in fields.items() if field == "E")


def oracle(args, text):
    output, lines = "", text.split("\n")[1:]
    while lines and lines[0]:
        height = int(lines[0].split()[0])
        steps = steps_through(lines[1 : height + 1])
        output += "no way\n" if steps is None else f"{steps}\n"
        lines = lines[height + 1 :]
    return 0, output


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    return verdict(check_program(solution_path, make_cases(seed), oracle), seed)

"""Compares output and exit code with an oracle that reads an instruction word by word."""

from deepgym_solution import run_seed

from programs import check_program
from scoring import verdict
from variants import make_cases

# The words that follow an instruction: a name to change, a value, a count.
FORMS = {"set": "nv", "add": "nv", "mul": "nv", "show": "v", "skip": "vc", "back": "vc"}


class Fault(Exception):
    """The line cannot be carried out."""


def read_word(word, kind, names):
    if kind == "n" or (kind == "v" and word.isalpha()):
        if len(word) != 1 or not "a" <= word <= "z":
            raise Fault
        return word if kind == "n" else look_up(names, word)
    digits = word.removeprefix("-") if kind == "v" else word
    if not digits or not set(digits) <= set("0123456789"):
        raise Fault
    return int(word)


def look_up(names, name):
    if name not in names:
        raise Fault
    return names[name]


def carry_out(line, at, names, output):
    """Carry a line out, and return the position of the next one."""
    kind, *words = line.split(" ")
    if len(words) != len(FORMS.get(kind, "")) or kind not in FORMS:
        raise Fault
    first, *rest = [read_word(word, form, names) for word, form in zip(words, FORMS[kind], strict=True)]
    if kind == "show":
        output.append(f"{first}\n")
    elif kind == "set":
        names[first] = rest[0]
    elif kind == "add":
        names[first] = look_up(names, first) + rest[0]
    elif kind == "mul":
        names[first] = look_up(names, first) * rest[0]
    elif kind == "skip" and first == 0:
        return at + rest[0] + 1
    elif kind == "back" and first > 0:
        if rest[0] > at:
            raise Fault
        return at - rest[0]
    return at + 1


def oracle(args, text):
    lines, at, names, output = text.split("\n"), 0, {}, []
    while at < len(lines):
        try:
            at = carry_out(lines[at], at, names, output) if lines[at] else at + 1
        except Fault:
            return 1, "".join([*output, f"error in line {at + 1}\n"])
    return 0, "".join(output)


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    return verdict(check_program(solution_path, make_cases(seed), oracle), seed)

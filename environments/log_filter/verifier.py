"""Compares output and exit code with an oracle that splits the log into entries first."""

import re

from deepgym_solution import run_seed

from programs import check_program
from scoring import verdict
from variants import make_cases

LEVELS = ("DEBUG", "INFO", "WARN", "ERROR")


def read_options(args):
    # With separators that no argument holds, the whole command line can be described at once.
    text = "".join(f"{arg}\0" for arg in args)
    option = (
        "--level\0(?P<level>DEBUG|INFO|WARN|ERROR)\0|--contains\0(?P<contains>[^\0]*)\0|(?P<count>--count)\0"
    )
    found = {}
    while text:
        part = re.match(option, text)
        if not part or part.lastgroup in found:
            return None
        found[part.lastgroup] = part[part.lastgroup]
        text = text[part.end() :]
    return found


def oracle(args, log):
    options = read_options(args)
    if options is None:
        return 2, ""
    # An entry: its first line, and what follows up to the next one.
    start = f"(?:{'|'.join(LEVELS)}) "
    entries = re.findall(rf"^{start}.*\n(?:(?!{start}).*\n)*", log, re.MULTILINE)
    lowest = LEVELS.index(options.get("level", "DEBUG"))
    kept = []
    for entry in entries:
        level, message = entry.split("\n")[0].split(" ", 1)
        if LEVELS.index(level) >= lowest and options.get("contains", "") in message:
            kept.append(entry)
    return int(not kept), f"{len(kept)}\n" if "count" in options else "".join(kept)


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    return verdict(check_program(solution_path, make_cases(seed), oracle), seed)

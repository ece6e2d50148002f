"""Solutions that are programs: run them on each case's input, and compare what they print or write.

Every run is a fresh process in a fresh folder, so that none can leave anything to the next.
"""

import json
import tempfile
from pathlib import Path

from deepgym_solution import SolutionError, read_output, run_solution

from scoring import difference, raised, run_cases, shown


def check_program(path, cases, oracle):
    """Compare what a program prints, and its exit code, with an oracle.

    Args:
        path: The solution.
        cases: Pairs of a name and (command-line arguments, standard input), or a list of those.
        oracle: What is right: a function of arguments and input that returns the exit code and the output.
    """

    def attempt(run):
        args, stdin = run
        code, output = oracle(args, stdin)
        expected = {"expected_summary": f"exit code {code}, output {shown(output)}"}
        try:
            done = run_solution(path, args, stdin=stdin)
        except SolutionError as error:
            return {**expected, **raised(error)}
        reason = _ended(done, code) or same_lines(done.stdout, output)
        return {**expected, "actual_summary": shown(done.stdout), "error": reason} if reason else {}

    return run_cases(cases, attempt)


def check_files(path, cases, oracle, *, compare=None):
    """Compare the files that a program writes in its folder with an oracle; what it finds there has to stay.

    Args:
        path: The solution.
        cases: Pairs of a name and the files that the program finds (text by relative path), or a list of such dicts.
        oracle: What is right: a function of those files that returns the files that have to be there afterwards.
        compare: Says why a written text is not the expected one, or None; `same_lines` unless given.
    """

    def attempt(run):
        (files,) = run
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                target = Path(folder, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(text.encode())
            try:
                done = run_solution(path, cwd=folder)
                reason = _ended(done, 0)
                return (
                    {"error": reason}
                    if reason
                    else _compare_files(folder, files, oracle(dict(files)), compare)
                )
            except SolutionError as error:
                return raised(error)

    named = [(name, inputs if type(inputs) is list else [inputs]) for name, inputs in cases]
    return run_cases([(name, [(files,) for files in folders]) for name, folders in named], attempt)


def same_lines(got, expected):
    """Where two texts differ, by lines; None if nowhere.

    Blanks at the ends of lines, and blank lines at the end of the text, do not count; all else does.
    """
    left, right = ([line.rstrip() for line in text.rstrip().split("\n")] for text in (got, expected))
    for number, (one, other) in enumerate(zip(left, right, strict=False), 1):
        if one != other:
            return f"line {number} is {shown(one)}, not {shown(other)}"
    # Only now, since the first line that differs says more.
    return None if len(left) == len(right) else f"there are {len(left)} lines, not {len(right)}"


def same_json(got, expected):
    """Where two JSON texts differ, types included (1 is not 1.0); None if nowhere."""
    try:
        return difference(json.loads(got), json.loads(expected), "the value")
    except (ValueError, RecursionError) as error:
        return f"no JSON text: {error}"


def _ended(done, code):
    if done.returncode == code:
        return None
    last_words = done.stderr.strip().splitlines()[-1:]
    return f"the exit code is {done.returncode}, not {code}" + "".join(f" ({words})" for words in last_words)


def _compare_files(folder, before, expected, compare):
    for name, text in expected.items():
        got = read_output(name, folder)
        reason = (compare or same_lines)(got, text)
        if reason:
            return {
                "expected_summary": shown(text),
                "actual_summary": shown(got),
                "error": f"{name}: {reason}",
            }
    changed = [
        name for name, text in before.items() if name not in expected and read_output(name, folder) != text
    ]
    return {"error": f"{changed[0]} was changed"} if changed else {}

"""Every rule of `deepgym check` and `deepgym qa`: its id, what it says, why it matters and what to do.

Ids are promises: they stay what they mean. DG0xx are about the folder, DG1xx about the verifier's source, DG2xx about
what `check` saw when it ran, DG3xx about what `qa` saw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["RULES", "Rule", "Severity"]

Severity = Literal["error", "warning", "unknown"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        id: Such as DG101.
        title: What was found, in a few words.
        why: What an answer gains by it, or what a trainer loses.
        fix: What to do.
        severity: `error` makes the environment unsound; `warning` does not; `unknown` means that nothing could be
            told.
    """

    id: str
    title: str
    why: str
    fix: str
    severity: Severity = "error"


_ALL = (
    Rule(
        "DG001",
        "the folder is malformed",
        "A file is missing, or a field is unknown or wrong: the environment cannot be loaded.",
        "do what the message says about the file and field that it names",
    ),
    Rule(
        "DG002",
        "there is no reference solution",
        "Without an answer that is right, nobody knows that one can be.",
        "add reference_solution.py (or .diff, .sh, .txt ...) that scores 1.0",
    ),
    Rule(
        "DG003",
        "the verifier cannot be used",
        "It cannot be parsed, or has none of the shapes of a verifier.",
        "write verify(solution_path, test_cases_path=None), a body that returns, a script that reports, or a spec",
    ),
    Rule(
        "DG004",
        "the task does not name what the verifier calls",
        "Whoever only reads the task cannot know the name, and loses for it.",
        "write the function's or class's name and its arguments into task.md",
        "warning",
    ),
    Rule(
        "DG005",
        "an answer file cannot be read",
        "An answer is UTF-8 text; anything else is never scored.",
        "save the file as UTF-8 text",
    ),
    Rule(
        "DG101",
        "the verifier runs or imports the solution itself",
        "A solution in the verifier's process reads the key, replaces functions and writes its own verdict.",
        "load_solution(solution_path), load_files(...) or run_solution(solution_path) from deepgym_solution",
    ),
    Rule(
        "DG102",
        "the verifier reads the answer's own score",
        "An answer that may say how good it is says that it is perfect.",
        "work the score out from what the solution returns",
    ),
    Rule(
        "DG103",
        "values are compared without their types",
        "True equals 1 and 1.0 equals 1: an answer of the wrong type passes, and looks right to nobody else.",
        "compare the types at every level as well: type(got) is type(expected) and got == expected",
    ),
    Rule(
        "DG104",
        "the score is divided by what the answer controls",
        "A shorter answer makes the denominator small; an empty one divides by zero.",
        "divide by the number of cases or of expected items",
    ),
    Rule(
        "DG105",
        "zip stops at the shorter side",
        "A prefix of the right answer passes, and so does an empty one.",
        "compare the lengths first, and write zip(got, expected, strict=True)",
    ),
    Rule(
        "DG106",
        "a part of the answer is enough",
        "An answer that lists every candidate holds the right one too.",
        "extract one answer, and compare the whole of it",
    ),
    Rule(
        "DG107",
        "an except passes over a failure",
        "A case that raises is dropped or counted as right, so raising pays.",
        "append a failed case with the reason, and catch no more than SolutionError",
    ),
    Rule(
        "DG108",
        "LaunchError is swallowed",
        "LaunchError says that the machine failed; swallowed, it becomes a 0 for a right answer.",
        "catch SolutionError or Exception, never everything; re-raise what else comes",
    ),
    Rule(
        "DG109",
        "the verdict has no cases",
        "Nobody sees which check failed and why, and an empty list of checks would pass everything.",
        'return {"score": ..., "cases": [{"id": ..., "passed": ..., "error": ...}, ...]}',
    ),
    Rule(
        "DG110",
        "the verdict is always the same",
        "A verdict that does not depend on the answer rewards every answer.",
        "work the score out from what the solution returns",
    ),
    Rule(
        "DG111",
        "data is executed",
        "exec, eval, pickle and their kin run what they read; what an answer wrote then runs in the judge.",
        "json.loads, ast.literal_eval, or a parser of your own",
    ),
    Rule(
        "DG112",
        "the solution's text becomes the verdict",
        'A solution that prints or returns {"score": 1.0} writes its own verdict.',
        "report(...) or return a verdict that the verifier worked out, and print the solution's text nowhere",
    ),
    Rule(
        "DG113",
        "NaN passes the tolerance",
        "Every comparison with NaN is false, so `error > tolerance` never fails it.",
        "math.isfinite(got) and abs(got - expected) <= tolerance",
    ),
    Rule(
        "DG114",
        "the cases are drawn from a fixed seed",
        "The same cases in every run can be learnt by heart.",
        "random.Random(run_seed())",
        "warning",
    ),
    Rule(
        "DG115",
        "an output file is opened by its name",
        "The solution can put a link, a FIFO or a device there, and the verifier follows it.",
        "read_output(name, folder) from deepgym_solution",
    ),
    Rule(
        "DG116",
        "an exit code is the verdict",
        "sys.exit(0) is then worth as much as a right answer.",
        "compare what the program printed or wrote; the exit code may only fail it",
    ),
    Rule(
        "DG201",
        "the reference solution does not score 1.0",
        "Either the reference or the verifier is wrong, and nobody can tell which.",
        "mend the one that is; the details say which case failed",
    ),
    Rule(
        "DG202",
        "the same answer gets different verdicts",
        "A verdict that changes by itself is noise in every gradient.",
        "draw everything from run_seed(), sort what has no order, print no times; or set deterministic to false",
    ),
    Rule(
        "DG203",
        "an empty answer earns something",
        "Whatever nothing earns, every answer earns.",
        "give credit only for what the solution returned",
    ),
    Rule(
        "DG204",
        "a failed case does not say why",
        "Whoever reads the verdict cannot tell a wrong answer from a wrong verifier.",
        "give every failed case an error, or a verdict that fails its details",
    ),
    Rule(
        "DG205",
        "a right answer does not score 1.0",
        "The verifier punishes what the task allows.",
        "mend the verifier, or take the answer out of solutions/right",
    ),
    Rule(
        "DG206",
        "a wrong answer passes",
        "The verifier does not see a mistake that its author knew of.",
        "add the case that tells it from a right answer",
    ),
    Rule(
        "DG207",
        "there is no verdict",
        "The machine failed before anything was judged: nothing can be told.",
        "deepgym doctor says what is missing; the details say what failed",
        "unknown",
    ),
    Rule(
        "DG208",
        "the verifier fails by itself",
        "It ends without a verdict where the solution is not to blame, so the sample is lost.",
        "mend the verifier; the details hold its traceback",
    ),
    Rule(
        "DG301",
        "a cheat earns more than the floor",
        "A policy finds what pays without solving the task, and learns that.",
        "see the trace, and compare only plain data that is complete and of the right type",
    ),
    Rule(
        "DG302",
        "an answer without thought earns too much",
        "What a constant earns is reinforced before anything is learnt.",
        "group the cases that it passes with ones that it fails, or ask for more; see max_floor",
    ),
    Rule(
        "DG303",
        "mutants of the reference survive",
        "The cases cannot tell these wrong answers from the right one.",
        "add cases like the inputs that tell them apart",
    ),
    Rule(
        "DG304",
        "a right answer in another form fails",
        "The verifier judges how an answer is written, not what it does.",
        "compare what the solution returns, and nothing of its text, names, output or speed",
    ),
    Rule(
        "DG305",
        "the verdict is flaky",
        "The same answer passes once and fails once: noise in every gradient.",
        "widen what depends on time, and draw only cases that every right answer passes",
    ),
    Rule(
        "DG306",
        "there is little time to spare",
        "On a slower or busier machine the right answer runs out of time.",
        "raise timeout or case_timeout, or make the largest cases smaller",
    ),
    Rule(
        "DG307",
        "the cases are the same in every run",
        "An answer that has seen them once can be a table of results.",
        "draw hidden cases from run_seed()",
        "warning",
    ),
    Rule(
        "DG308",
        "the examples of the task are worth too much",
        "A table of the examples that the task shows earns more than the floor.",
        "test with other cases than the task shows",
    ),
    Rule(
        "DG309",
        "an answer can make itself unscorable",
        "A run without verdict is left out of training, so an answer that would fail can ask to be.",
        "let no failure of the solution end the verifier with an error of its own",
    ),
    Rule(
        "DG310",
        "a right value in a wrong form passes",
        "True for 1, text for a number, the beginning of a list: near the answer, and not it.",
        "compare types and lengths; list in `accepts` what the task allows",
    ),
    Rule(
        "DG311",
        "the mutants tell too little",
        "With few mutants, or many that could not be compared, a kill rate says nothing.",
        "give a Python reference that does its work in plain functions, and cases that call them",
        "warning",
    ),
)

RULES: dict[str, Rule] = {rule.id: rule for rule in _ALL}

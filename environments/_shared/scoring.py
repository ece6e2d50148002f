"""From cases to a verdict: what the verifiers of this library share.

A verifier brings cases (its `variants.py` draws them from the run's secret seed) and an oracle that knows what is
right. This file does the rest: it calls the solution through `deepgym_solution`, compares what comes back type by
type, and writes down why a case failed. The key stays here; the solution's process only ever sees inputs.

A case is a name and what to call with: a tuple of arguments, or a list of such tuples. A list counts as one case that
passes when every call in it is right. Where answers are few (yes or no, "not possible", an error to raise), lists keep
an answer that always says the same from earning anything.
"""

import copy
import math

from deepgym_solution import SolutionError, SolutionTimeoutError

# Summaries are for people; a large input says no more than its beginning.
SUMMARY_CHARS = 300
# A solution that hangs is asked this often, so that a run ends well before its time-out.
MAX_HANGS = 3


def verdict(cases, seed):
    """The verdict of a run: the share of cases that passed, and the first reason why one did not."""
    if not cases:
        raise ValueError("a verifier without cases would pass every answer")
    failed = [case for case in cases if not case["passed"]]
    hits = len(cases) - len(failed)
    details = f"{hits} of {len(cases)} cases passed"
    if failed:
        details += f"; {failed[0]['id']}: {failed[0]['error']}"
    return {
        "score": hits / len(cases),
        "passed": not failed,
        "details": details,
        "cases": cases,
        "seed": seed,
    }


def check_calls(solution, function, cases, oracle, *, refuses=(), differ=None):
    """Call a function of the solution, and the oracle, with equal arguments; both must do the same.

    The oracle also says what becomes of the arguments: where it leaves them alone, the solution has to, too.

    Args:
        solution: What `load_solution` returned.
        function: The function's name.
        cases: Pairs of a name and arguments, or a list of arguments.
        oracle: What is right: a function of the same arguments.
        refuses: Exceptions that the task asks for; where the oracle raises one, the solution has to.
        differ: Says why a result is not the expected one, or None; `difference` unless given.
    """

    def attempt(args):
        expected_args = copy.deepcopy(args)
        expected, refusal = _outcome(oracle, expected_args, refuses)

        def explain(got, args_after):
            return (differ or difference)(got, expected) or difference(
                args_after, list(expected_args), "after the call, the list of arguments"
            )

        shown_expected = f"raises {refusal.__name__}" if refusal else shown(expected)
        return {"expected_summary": shown_expected, **_failure(solution, function, args, refusal, explain)}

    return run_cases(cases, attempt)


def check_answers(solution, function, cases, judge):
    """Call a function whose right answers are many: `judge(answer, *arguments)` says what is wrong, or None.

    The arguments have to be the same after the call.
    """

    def attempt(args):
        def explain(got, args_after):
            return judge(got, *copy.deepcopy(args)) or difference(
                args_after, list(args), "after the call, the list of arguments"
            )

        return _failure(solution, function, args, None, explain)

    return run_cases(cases, attempt)


def check_objects(solution, kind, cases, model, *, refuses=()):
    """Take an object of the solution and one of a model class through the same calls; both must do the same.

    Args:
        solution: What `load_solution` returned.
        kind: The class's name.
        cases: Triples of a name, the constructor's arguments, and calls: a list of (method, *arguments).
        model: A class that is right.
        refuses: Exceptions that the task asks for.
    """

    def attempt(script):
        args, calls = script
        mine, refusal = _outcome(model, args, refuses)
        made = [f"{kind}{_arguments(args)}"]
        handles = []

        def make(*args):
            handles.append(solution.call(kind, *args, returns="handle"))

        failure = _step(make, args, None, refusal)
        for method, *arguments in () if refusal else calls:
            if failure:
                break
            made.append(f"{method}{_arguments(arguments)}")
            expected, refusal = _outcome(getattr(mine, method), arguments, refuses)
            failure = _step(lambda *args: handles[0].call(method, *args), arguments, expected, refusal)
        if failure:
            failure["error"] = f"{made[-1]}: {failure['error']}"
            failure["input_summary"] = _end("; ".join(made))
        return failure

    return run_cases([(name, (args, calls)) for name, args, calls in cases], attempt)


def difference(got, expected, at="the result"):
    """Where and why two plain values differ, types included (True is not 1, a tuple is no list); None if nowhere."""
    if type(got) is not type(expected):
        return f"{at} is {_named(got)}, not {_named(expected)}"
    if type(expected) in {list, tuple}:
        if len(got) != len(expected):
            return f"{at} has {len(got)} items, not {len(expected)}"
        for number, (left, right) in enumerate(zip(got, expected, strict=True)):
            found = difference(left, right, f"{at}[{number}]")
            if found:
                return found
        return None
    if type(expected) is dict:
        if {(type(key), key) for key in got} != {(type(key), key) for key in expected}:
            return f"{at} has the keys {shown(list(got))}, not {shown(list(expected))}"
        found = (difference(got[key], expected[key], f"{at}[{key!r}]") for key in expected)
        return next((reason for reason in found if reason), None)
    return None if got == expected else f"{at} is {_named(got)}, not {_named(expected)}"


def close_to(tolerance):
    """A `differ` for floats: finite, and at most `tolerance` away, absolutely or relative to the expected value."""

    def differ(got, expected, at="the result"):
        if type(expected) is list and type(got) is list and len(got) == len(expected):
            found = (
                differ(left, right, f"{at}[{i}]")
                for i, (left, right) in enumerate(zip(got, expected, strict=True))
            )
            return next((reason for reason in found if reason), None)
        if type(expected) is not float or type(got) is not float:
            return difference(got, expected, at)
        if math.isfinite(got) and abs(got - expected) <= tolerance * max(1.0, abs(expected)):
            return None
        return f"{at} is {got!r}, not {expected!r} within {tolerance:g}"

    return differ


def shown(value):
    """A value as text, cut to a readable length."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested without end, or an int with more digits than Python prints
        return f"a {type(value).__name__} that cannot be shown"
    return text if len(text) <= SUMMARY_CHARS else f"{text[:SUMMARY_CHARS]}... ({len(text)} characters)"


def run_cases(cases, attempt):
    """One verdict case for each case.

    Args:
        cases: Pairs of a name and what to attempt: a tuple, or a list of tuples that count as one case.
        attempt: Tries one tuple, and tells what failed by an `error` in the dict that it returns; `hung` says
            that time ran out.
    """
    results, hangs = [], 0
    for name, inputs in cases:
        calls = inputs if type(inputs) is list else [inputs]
        result = {"id": name, "passed": True, "input_summary": shown(inputs)}
        if hangs == MAX_HANGS:
            result |= {"passed": False, "error": f"not tried: {MAX_HANGS} calls before it ran out of time"}
        else:
            for number, args in enumerate(calls):
                found = attempt(args)
                if "error" in found:
                    hangs += found.pop("hung", False)
                    place = f"call {number + 1} of {len(calls)}: " if len(calls) > 1 else ""
                    result |= {"passed": False, "input_summary": shown(args), **found}
                    result["error"] = place + result["error"]
                    break
        results.append(result)
    return results


def raised(error, refusal=None):
    """What is wrong when the solution raised or hung: nothing, if the task asks for that exception."""
    if refusal and isinstance(error, refusal):
        return {}
    wanted = f", and should raise {refusal.__name__}" if refusal else ""
    reason = f"{type(error).__name__.removeprefix('Raised')}: {error}"[:SUMMARY_CHARS] + wanted
    return {"error": reason, "hung": isinstance(error, SolutionTimeoutError)}


def _outcome(function, args, refuses):
    """What a trusted function returns, or the class of the exception by which it refuses."""
    try:
        return function(*args), None
    except refuses as error:
        return None, type(error)


def _failure(solution, function, args, refusal, explain):
    """What is wrong with one call: a dict that is empty when nothing is."""
    try:
        got, args_after = solution.call(function, *copy.deepcopy(args), returns="args")
    except SolutionError as error:
        return raised(error, refusal)
    if refusal:
        return {"actual_summary": shown(got), "error": f"returned, and should raise {refusal.__name__}"}
    reason = explain(got, args_after)
    return {"actual_summary": shown(got), "error": reason} if reason else {}


def _step(call, args, expected, refusal):
    """What is wrong with one call of an object's method: a dict that is empty when nothing is."""
    try:
        got = call(*copy.deepcopy(args))
    except SolutionError as error:
        return raised(error, refusal)
    reason = f"returned, and should raise {refusal.__name__}" if refusal else difference(got, expected)
    if not reason:
        return {}
    return {"expected_summary": shown(expected), "actual_summary": shown(got), "error": reason}


def _named(value):
    return shown(value) if value is None else f"{type(value).__name__} {shown(value)}"


def _arguments(args):
    return f"({', '.join(map(shown, args))})"


def _end(text):
    return text if len(text) <= SUMMARY_CHARS else f"... {text[-SUMMARY_CHARS:]}"

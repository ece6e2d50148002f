"""What a verifier returned or printed, as plain JSON data in one normal form, or `VerdictError`.

This file travels into sandboxes: standard library only, no import of its neighbours. The judge runs it on
what a verifier returned; the client runs it once more on what arrived, so the normal form is a fixed point.

What decides the reward is strict: `score`, `passed` and `truncated`, in the verdict and in its cases. What
only explains it (`details`, `metrics`, summaries) is rendered and cut to size, and never costs a verdict.
"""

import json
import math
from collections.abc import Iterator, Mapping

__all__ = ["VerdictError", "parse_json", "read_verdict"]

# A page of explanation; more belongs into cases.
MAX_DETAILS_CHARS = 65_536
# One line of input, expected or actual value; a whole traceback fits too.
MAX_SUMMARY_CHARS = 4_096
# Names, ids and error types are read by people and used as keys.
MAX_NAME_CHARS = 256
# A random test of ten thousand inputs keeps all its cases; their texts share a budget, as most say nothing.
MAX_CASES = 10_000
MAX_CASES_CHARS = 1_000_000
# Metrics are a handful of numbers.
MAX_ENTRIES = 1_000
MAX_METRICS_NODES = 10_000
MAX_METRICS_DEPTH = 8
# Python refuses to print integers of more than 4,300 digits; no metric needs a tenth of that.
MAX_INT_BITS = 1_024

_LARGEST_FLOAT = 1.7976931348623157e308

_SUMMARIES = ("input_summary", "expected_summary", "actual_summary", "error")


class VerdictError(ValueError):
    """What the verifier gave is no verdict; the message says which value, and what would be one."""


def read_verdict(value: object) -> dict[str, object]:
    """The normal form of what a verifier returned: a float, a bool or a dict.

    `passed` is left out where the verifier did not say; the environment's `pass_threshold` then decides.

    Raises:
        VerdictError: It is anything else, or its score, `passed`, `truncated` or cases are malformed.
    """
    if isinstance(value, dict):
        return _read_mapping(value)
    score = float(value) if type(value) is bool else _read_score(value, "a verifier's result")
    return _normal(score, None, "", [], {})


def parse_json(text: str) -> object:
    """The JSON value of a text, read strictly.

    Raises:
        VerdictError: It is not JSON, repeats a key, or holds a number that is not finite.
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=_refuse_duplicates,
            parse_constant=_refuse_constant,
            parse_float=_parse_float,
        )
    except VerdictError:
        raise
    except RecursionError:
        raise VerdictError("the printed verdict is nested too deeply") from None
    except ValueError as error:
        raise VerdictError(f"the printed verdict is not JSON: {error}") from None


def _refuse_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for name, value in pairs:
        if name in result:
            raise VerdictError(f"the printed verdict names {_cut(name, MAX_NAME_CHARS)!r} twice")
        result[name] = value
    return result


def _refuse_constant(text: str) -> object:
    raise VerdictError(f"the printed verdict holds {text}, which is not a JSON number")


def _parse_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise VerdictError(
            f"the printed verdict holds {_cut(text, MAX_NAME_CHARS)}, which is not a finite number"
        )
    return number


def _read_mapping(verdict: Mapping[object, object]) -> dict[str, object]:
    passed = _read_bool(verdict["passed"], "passed") if "passed" in verdict else None
    if "truncated" in verdict:
        _read_bool(verdict["truncated"], "truncated")
    cases = _read_cases(verdict.get("cases", []))
    if "score" in verdict:
        score = _read_score(verdict["score"], "score")
    elif cases:
        score = math.fsum(_case_score(case) for case in cases) / len(cases)
    else:
        raise VerdictError("the verdict has neither a score nor cases: give a score in [0, 1]")
    notes = []
    details = _text(verdict.get("details"))
    if len(cases) > MAX_CASES:
        notes.append(f"[{len(cases) - MAX_CASES} more cases are not shown]")
    components = dict(_read_components(verdict.get("reward_components"), notes))
    if notes:
        room = MAX_DETAILS_CHARS - sum(len(note) + 1 for note in notes)
        details = "\n".join([*filter(None, [_cut(details, room)]), *notes])
    return _normal(score, passed, details, _bounded(cases), {**verdict, "reward_components": components})


def _normal(
    score: float,
    passed: bool | None,
    details: str,
    cases: list[dict[str, object]],
    rest: Mapping[object, object],
) -> dict[str, object]:
    verdict: dict[str, object] = {"schema_version": 1, "score": score}
    if passed is not None:
        verdict["passed"] = passed
    verdict["details"] = _cut(details, MAX_DETAILS_CHARS)
    verdict["cases"] = cases
    verdict["reward_components"] = rest.get("reward_components", {})
    verdict["metrics"] = _read_metrics(rest.get("metrics"))
    verdict["seed"] = _read_seed(rest.get("seed"))
    verdict["truncated"] = rest.get("truncated", False)
    error_type = _cut(_text(rest.get("error_type")), MAX_NAME_CHARS)
    verdict["error_type"] = error_type or None
    return verdict


def _read_score(value: object, what: str) -> float:
    number = _python_number(value)
    if type(number) is not float and type(number) is not int:
        hint = ": convert a bool with float()" if type(number) is bool else ""
        raise VerdictError(f"{what} must be a number in [0, 1], got {_describe(value)}{hint}")
    # Written so that NaN fails it; the sum turns -0.0 into 0.0.
    if not 0 <= number <= 1:
        raise VerdictError(f"{what} must be in [0, 1], got {_describe(value)}")
    return float(number) + 0.0


def _read_bool(value: object, what: str) -> bool:
    # By identity: a numpy bool has been seen to come from comparing arrays, where `all` was forgotten.
    if value is not True and value is not False:
        raise VerdictError(f"{what} must be True or False, got {_describe(value)}: convert it with bool()")
    return value


def _python_number(value: object) -> object:
    """A numpy scalar as the Python number it stands for; everything else as it is."""
    kind = type(value)
    if kind.__module__ == "numpy" and kind.__name__ not in {"ndarray", "bool", "bool_"}:
        item = getattr(value, "item", None)
        if callable(item):
            return item()
    return value


def _read_cases(value: object) -> list[dict[str, object]]:
    if not isinstance(value, list | tuple):
        raise VerdictError(f"cases must be a list, got {_describe(value)}")
    return [_read_case(case, number) for number, case in enumerate(value)]


def _read_case(case: object, number: int) -> dict[str, object]:
    if not isinstance(case, dict):
        raise VerdictError(f"case {number} must be a dict, got {_describe(case)}")
    name = _cut(_text(case["id"]), MAX_NAME_CHARS) if case.get("id") is not None else f"case_{number}"
    score = None if case.get("score") is None else _read_score(case["score"], f"the score of case {name!r}")
    if "passed" in case:
        passed = _read_bool(case["passed"], f"passed of case {name!r}")
    elif score is not None:
        passed = score == 1.0
    else:
        raise VerdictError(f"case {name!r} has neither passed nor a score")
    result: dict[str, object] = {"id": name, "passed": passed}
    result["score"] = float(passed) if score is None else score
    for key in _SUMMARIES:
        if case.get(key) is not None:
            result[key] = _cut(_text(case[key]), MAX_SUMMARY_CHARS)
    return result


def _case_score(case: Mapping[str, object]) -> float:
    score = case["score"]
    return score if isinstance(score, float) else 0.0


def _bounded(cases: list[dict[str, object]]) -> list[dict[str, object]]:
    """The first cases, without texts that go over the common budget; what failed keeps its words longest."""
    kept = cases[:MAX_CASES]
    left = MAX_CASES_CHARS
    for case in sorted(kept, key=lambda case: case["passed"] is True):
        size = sum(len(str(case[key])) for key in _SUMMARIES if key in case)
        if size > left:
            for key in _SUMMARIES:
                case.pop(key, None)
        else:
            left -= size
    return kept


def _read_components(value: object, notes: list[str]) -> Iterator[tuple[str, float]]:
    """The named numbers; what is not finite is left out with a note, for a trainer may learn from it."""
    if value is None:
        return
    if not isinstance(value, dict):
        notes.append("[reward_components is not a dict and was left out]")
        return
    for name, part in list(value.items())[:MAX_ENTRIES]:
        number = _python_number(part)
        key = _cut(_text(name), MAX_NAME_CHARS)
        if isinstance(number, bool | int | float) and abs(number) <= _LARGEST_FLOAT:
            yield key, float(number)
        elif len(notes) < 8:
            notes.append(f"[reward component {key!r} is not a finite number and was left out]")


def _read_metrics(value: object) -> dict[str, object]:
    if value is None:
        return {}
    budget = [MAX_METRICS_NODES]
    plain = _plain(value, MAX_METRICS_DEPTH, budget)
    return plain if isinstance(plain, dict) else {"metrics": plain}


def _plain(value: object, depth: int, budget: list[int]) -> object:
    """JSON data for any value: bounded, NaN and infinity as None, unknown objects as text."""
    budget[0] -= 1
    value = _python_number(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if value.bit_length() <= MAX_INT_BITS else f"an int of {value.bit_length()} bits"
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        return _cut(_text(value), MAX_SUMMARY_CHARS)
    if depth > 0 and budget[0] > 0 and isinstance(value, dict):
        items = list(value.items())[: min(MAX_ENTRIES, budget[0])]
        return {_cut(_text(key), MAX_NAME_CHARS): _plain(item, depth - 1, budget) for key, item in items}
    if depth > 0 and budget[0] > 0 and isinstance(value, list | tuple):
        return [_plain(item, depth - 1, budget) for item in value[: min(MAX_ENTRIES, budget[0])]]
    return _cut(_text(value), MAX_NAME_CHARS)


def _read_seed(value: object) -> int | None:
    number = _python_number(value)
    return number if type(number) is int and number.bit_length() <= MAX_INT_BITS else None


def _text(value: object) -> str:
    """Any value as text: what is not text is shown as JSON where it can be, else as its repr."""
    if value is None:
        return ""
    if isinstance(value, str):
        return str.__str__(value)
    try:
        return json.dumps(value, ensure_ascii=False, default=repr)
    except Exception:  # noqa: BLE001 -- a repr is the verifier author's code, and explaining must not fail
        return f"<{type(value).__name__}>"


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    mark = f"… [cut, {len(text)} characters]"
    return text[: max(limit - len(mark), 0)] + mark


def _describe(value: object) -> str:
    kind = type(value)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    if kind in {int, float, str, bool}:
        return f"{name} {_cut(_text(value), 80)}"
    return name

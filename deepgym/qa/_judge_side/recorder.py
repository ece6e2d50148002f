"""Writes down what a verifier asks of a solution. It travels beside the verifier, which imports it first.

Each record is one line of JSON on stderr, after a mark. Arguments and results are written as Python literals. What is
too long is left out, so that the small inputs of a verifier with large ones are still seen.
"""

import json
import os
import sys

import deepgym_solution
from deepgym_solution import _proxy, _scripts
from deepgym_solution.errors import SolutionError

MARK = "\x1edeepgym-record "
# What a result shows of stderr is bounded; records have to fit.
MAX_RECORD_CHARS = 2_500
MAX_CHARS = 56_000
MAX_FILE_CHARS = 20_000

_state = {"left": MAX_CHARS}
_sessions: dict[int, int] = {}
_seen: set[str] = set()
_nested: list[bool] = []


def _write(record):
    text = json.dumps(record)
    is_object = record.get("target") is not None or record.get("handle") is not None
    limit = MAX_RECORD_CHARS if record["kind"] == "call" else MAX_CHARS // 2
    if len(text) > limit or len(text) > _state["left"] or (not is_object and text in _seen):
        return
    _seen.add(text)
    _state["left"] -= len(text) + len(MARK) + 1
    sys.stderr.write(f"{MARK}{text}\n")


def _literal(value):
    try:
        return repr(value)
    except (RecursionError, ValueError):
        return "..."


def _error_name(error):
    """The builtin class that an error of a solution is, or its own."""
    for kind in type(error).__mro__:
        if kind.__module__ == "builtins":
            return kind.__name__
    return type(error).__name__


def _record_call(session, target, name, args, kwargs, returns, outcome):
    number = _sessions.setdefault(id(session), len(_sessions))
    record = {
        "kind": "call", "session": number, "target": target, "name": name, "args": _literal(args),
        "kwargs": _literal(kwargs), "returns": returns, **outcome,
    }  # fmt: skip
    _write(record)


_call = _proxy._call


def _recorded_call(session, target, name, args, kwargs, returns, timeout):
    if _nested:
        return _call(session, target, name, args, kwargs, returns, timeout)
    number = None if target is None else target._number
    args_before = _literal(args)
    try:
        value = _call(session, target, name, args, kwargs, returns, timeout)
    except SolutionError as error:
        _record_call(session, number, name, args, kwargs, returns, {"error": _error_name(error)})
        raise
    if isinstance(value, _proxy.Handle):
        outcome = {"handle": value._number}
    else:
        outcome = {"value": _literal(value[0] if returns == "args" else value)}
    if args_before == _literal(args):
        _record_call(session, number, name, args, kwargs, returns, outcome)
    return value


_run = _proxy._Mapping.run


def _recorded_run(self, calls):
    _nested.append(True)
    try:
        results = _run(self, calls)
    finally:
        _nested.pop()
    for args, value in zip(calls, results, strict=True):
        failed = isinstance(value, SolutionError)
        outcome = {"error": _error_name(value)} if failed else {"value": _literal(value)}
        _record_call(self._session, None, self._name, args, {}, "value", outcome)
    return results


def _texts(folder):
    """The small text files below a folder."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > MAX_FILE_CHARS:
                continue
            try:
                with open(path, encoding="utf-8", newline="") as file:
                    found[os.path.relpath(path, folder)] = file.read()
            except (OSError, UnicodeDecodeError):
                continue
    return found


_run_solution = _scripts.run_solution


def _recorded_run_solution(path, args=(), **options):
    folder = options.get("cwd")
    before = _texts(folder) if folder is not None else {}
    done = _run_solution(path, args, **options)
    stdin = options.get("stdin")
    inside = folder is not None and os.path.realpath(path).startswith(os.path.realpath(folder) + os.sep)
    _write(
        {
            "kind": "program",
            "args": [_relative(argument, folder) for argument in args],
            "stdin": stdin.decode("latin-1") if isinstance(stdin, bytes | bytearray) else stdin,
            "files": before,
            "program": os.path.basename(path) if inside else None,
            "interpreter": options.get("interpreter"),
            "allow_subprocess": bool(options.get("allow_subprocess")),
            "stdout": done.stdout.decode("latin-1") if isinstance(done.stdout, bytes) else done.stdout,
            "returncode": done.returncode,
            "after": _texts(folder) if folder is not None else {},
            "cwd": folder is not None,
            "loopback": options.get("loopback_port") is not None,
        }
    )
    return done


def _relative(argument, folder):
    """An argument that names a file below the folder, as a name that is also right in another folder."""
    if folder is not None and os.path.isabs(argument):
        relative = os.path.relpath(os.path.realpath(argument), os.path.realpath(folder))
        return argument if relative.startswith("..") else relative
    return argument


def _plain_files(files):
    return {str(name): text for name, text in files.items() if isinstance(text, str)}


_apply_patch = deepgym_solution.apply_patch
_load_files = deepgym_solution.load_files


def _recorded_apply_patch(diff, files, **options):
    after = _apply_patch(diff, files, **options)
    _write({"kind": "patch", "before": _plain_files(files), "after": _plain_files(after)})
    return after


def _recorded_load_files(files, entry, **options):
    solution = _load_files(files, entry, **options)
    _write({"kind": "files", "entry": entry})
    return solution


_proxy._call = _recorded_call
setattr(_proxy._Mapping, "run", _recorded_run)  # noqa: B010 - a method, and meant
deepgym_solution.run_solution = _recorded_run_solution
deepgym_solution.apply_patch = _recorded_apply_patch
deepgym_solution.load_files = _recorded_load_files

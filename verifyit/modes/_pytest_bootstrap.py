"""Run pytest in the task's own interpreter and leave a report of what happened.

This file is executed by path, by whatever Python the task names, so it keeps to the syntax of Python 3.7
and to the standard library plus that interpreter's pytest. Candidate code runs in this process once pytest
loads the workspace; until then nothing of the workspace can be imported.

What is done against a candidate that would rather forge than pass: everything the run needs is imported
before the workspace is; a test that raised has failed, whatever its report says; the hooks that decide
outcomes are taken away from a conftest.py that the task does not vouch for; the report carries a token, and
the process leaves without running exit handlers once it is written. Code that shares a process with its
judge can still undo all of this on purpose: required test ids and the box around the run are the wall.
"""

import sys

# The folder of this file holds modules with everyday names; only the interpreter's own may be found.
del sys.path[0]

import importlib
import inspect
import json
import os
import pkgutil
import traceback

# Hooks that an unprotected conftest.py may not implement: each decides what a test's outcome is.
DECIDING_HOOKS = (
    "pytest_make_collect_report",
    "pytest_pyfunc_call",
    "pytest_report_from_serializable",
    "pytest_report_to_serializable",
    "pytest_runtest_call",
    "pytest_runtest_logreport",
    "pytest_runtest_makereport",
    "pytest_runtest_protocol",
    "pytest_runtestloop",
)
# Standard modules that pytest and its plugins import late, when a file of the workspace could shadow them.
LATE_MODULES = ("ast", "difflib", "pdb", "pprint", "random", "unittest.mock", "xml.etree.ElementTree")


def preload():
    """Import pytest whole, so that nothing of it is looked for in the workspace later."""
    import _pytest

    for name in LATE_MODULES:
        importlib.import_module(name)
    for module in pkgutil.iter_modules(_pytest.__path__, "_pytest."):
        try:
            importlib.import_module(module.name)
        except Exception:
            # A part of pytest that needs what is not installed is a part that is not used.
            continue


def root_cause(error):
    """The exception behind what pytest wraps around it."""
    for _ in range(8):
        inner = getattr(error, "cause", None)
        if not isinstance(inner, BaseException):
            inner = getattr(error, "excinfo", (None, None))[1] if hasattr(error, "excinfo") else None
        if not isinstance(inner, BaseException) and type(error).__name__ in ("CollectError", "UsageError"):
            inner = error.__cause__ or error.__context__
        if not isinstance(inner, BaseException):
            break
        error = inner
    return error


def describe(error, nodeid, workspace):
    """What the grader needs to know about an exception."""
    error = root_cause(error)
    names = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    files = [name for name in names if not name.startswith("<")]
    record = {
        "kind": "error",
        "type": type(error).__name__,
        "file": os.path.realpath(files[-1]) if files else None,
        "frames": sorted({os.path.realpath(name) for name in files}),
        "nodeid": nodeid,
        "missing": None,
    }
    if isinstance(error, (KeyboardInterrupt, SystemExit)) or type(error).__name__ == "Exit":
        # What ends the run is often called through a library; who called it is what counts.
        inside = [name for name in map(os.path.realpath, files) if name.startswith(workspace + os.sep)]
        record["kind"] = "interrupt"
        record["file"] = inside[-1] if inside else record["file"]
    elif isinstance(error, ImportError):
        record["kind"] = "dependency" if isinstance(error, ModuleNotFoundError) else "import"
        record["missing"] = error.name if isinstance(error.name, str) else None
        if isinstance(error.path, str):
            record["file"] = os.path.realpath(error.path)
    elif isinstance(error, SyntaxError) and isinstance(error.filename, str):
        record["file"] = os.path.realpath(error.filename)
    elif isinstance(error, AttributeError) and inspect.ismodule(getattr(error, "obj", None)):
        record["file"] = os.path.realpath(getattr(error.obj, "__file__", None) or record["file"] or "")
    return record


def code_file(function):
    """The file that a function was written in."""
    function = getattr(function, "__func__", function)
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    return os.path.realpath(code.co_filename) if code is not None else ""


class Recorder:
    """The plugin that writes down what was collected, what ran and what was raised."""

    def __init__(self, workspace, protected):
        self.workspace = workspace
        self.protected = protected
        self.records = []
        self.failed_collectors = []
        self.outcomes = {}
        self.selected = []
        self.raised = set()
        self.entered = {}
        self.functions = {}
        self.rootdir = None

    def is_foreign(self, path):
        """Whether a file is a conftest.py of the workspace that the task does not vouch for."""
        inside = path.startswith(self.workspace + os.sep)
        return inside and os.path.basename(path) == "conftest.py" and path not in self.protected

    def disarm(self, manager):
        """Take the deciding hooks away from plugins that are foreign."""
        for name in DECIDING_HOOKS:
            caller = getattr(manager.hook, name, None)
            if caller is None:
                continue
            for hook in list(caller.get_hookimpls()):
                origin = getattr(hook.plugin, "__file__", None) or ""
                if self.is_foreign(os.path.realpath(origin)) or self.is_foreign(code_file(hook.function)):
                    caller._remove_plugin(hook.plugin)

    def record(self, error, nodeid):
        """Keep one exception."""
        self.records.append(describe(error, nodeid, self.workspace))

    def outcome_of(self, report):
        """The outcome that one phase of a test means, or None if it means none."""
        if hasattr(report, "wasxfail"):
            return "xfailed" if report.skipped else "xpassed" if report.passed else None
        if report.failed:
            return "failed" if report.when == "call" else "error"
        if report.skipped:
            return "skipped"
        return "passed" if report.when == "call" else None

    def settle(self):
        """The outcome of every test, with what was seen put above what was reported."""
        settled = {}
        for nodeid, seen in self.outcomes.items():
            if "error" in seen or "failed" in seen:
                settled[nodeid] = "error" if "error" in seen else "failed"
            else:
                settled[nodeid] = seen[-1]
            passed = settled[nodeid] in ("passed", "xpassed")
            if passed and (nodeid in self.raised or self.entered.get(nodeid) is False):
                settled[nodeid] = "failed"
        for nodeid in self.selected:
            settled.setdefault(nodeid, "unrun")
        return settled


# Whether a hook runs around the others, and how far outside.
HOOK_OPTIONS = {
    "pytest_configure": {"tryfirst": True},
    "pytest_plugin_registered": {"trylast": True},
    "pytest_make_collect_report": {"hookwrapper": True, "tryfirst": True},
    "pytest_collection_finish": {"trylast": True},
    "pytest_runtest_protocol": {"hookwrapper": True, "tryfirst": True},
    "pytest_pyfunc_call": {"hookwrapper": True, "trylast": True},
    "pytest_runtest_logreport": {"tryfirst": True},
}


class Plugin:
    """The recorder's hooks."""

    def __init__(self, pytest, recorder):
        self.recorder = recorder
        self.function_type = pytest.Function
        for name, options in HOOK_OPTIONS.items():
            # Marked here, because pytest is not yet imported where the class is written.
            pytest.hookimpl(**options)(getattr(Plugin, name))

    def pytest_configure(self, config):
        self.recorder.rootdir = str(getattr(config, "rootpath", None) or config.rootdir)

    def pytest_plugin_registered(self, manager):
        self.recorder.disarm(manager)

    def pytest_make_collect_report(self, collector):
        outcome = yield
        error = outcome.excinfo[1] if outcome.excinfo else None
        if error is not None:
            self.recorder.record(error, collector.nodeid)
            return
        report = outcome.get_result()
        if report.failed:
            self.recorder.failed_collectors.append(report.nodeid)
            call = getattr(report, "call", None)
            if call is not None and call.excinfo is not None:
                self.recorder.record(call.excinfo.value, report.nodeid)

    def pytest_itemcollected(self, item):
        self.recorder.functions[item.nodeid] = getattr(item, "obj", None)

    def pytest_collection_finish(self, session):
        self.recorder.disarm(session.config.pluginmanager)
        self.recorder.selected = [item.nodeid for item in getattr(session, "items", [])]

    def pytest_runtest_protocol(self, item):
        self.recorder.disarm(item.config.pluginmanager)
        self.recorder.raised.discard(item.nodeid)
        plain = isinstance(item, self.function_type) and type(item).__name__ == "Function"
        if plain:
            self.recorder.entered[item.nodeid] = False
        yield

    def pytest_pyfunc_call(self, pyfuncitem):
        nodeid = pyfuncitem.nodeid
        collected = self.recorder.functions.get(nodeid)
        swapped = collected is not None and code_file(collected) != code_file(pyfuncitem.obj)
        self.recorder.entered[nodeid] = not (swapped and self.recorder.is_foreign(code_file(pyfuncitem.obj)))
        outcome = yield
        if outcome.excinfo is not None:
            self.recorder.raised.add(nodeid)
        else:
            self.recorder.raised.discard(nodeid)

    def pytest_runtest_logreport(self, report):
        outcome = self.recorder.outcome_of(report)
        if outcome is not None:
            self.recorder.outcomes.setdefault(report.nodeid, []).append(outcome)

    def pytest_internalerror(self, excinfo):
        self.recorder.record(excinfo.value, None)

    def pytest_keyboard_interrupt(self, excinfo):
        # Pytest ends a run that has failed collectors, or --maxfail failures, in the same way.
        if type(excinfo.value).__name__ != "Interrupted":
            self.recorder.record(excinfo.value, None)


def watch_start(recorder):
    """Record what pytest catches while it reads its configuration and the first conftest.py."""
    from _pytest import config

    prepare = getattr(config, "_prepareconfig", None)
    if prepare is None:
        return

    def watched(*args, **kwargs):
        try:
            return prepare(*args, **kwargs)
        except BaseException as error:
            recorder.record(error, None)
            raise

    config._prepareconfig = watched


def main():
    """Read the job, run pytest, leave the report, leave."""
    with open(sys.argv[1]) as file:
        job = json.load(file)
    os.unlink(sys.argv[1])
    preload()
    import pytest

    recorder = Recorder(job["workspace"], frozenset(job["protected"]))
    watch_start(recorder)
    plugin = Plugin(pytest, recorder)
    sys.path.insert(0, job["workspace"])
    sys.argv[:] = ["pytest"] + job["args"]
    write, leave, flush = open, os._exit, (sys.stdout.flush, sys.stderr.flush)
    dump, rename = json.dumps, os.replace
    with write(job["report"] + ".begun", "w"):
        pass
    try:
        code = int(pytest.main(list(job["args"]), plugins=[plugin]))
    except BaseException as error:
        recorder.record(error, None)
        traceback.print_exc()
        code = 3
    tests = recorder.settle()
    summary = {"total": len(tests)}
    for outcome in tests.values():
        summary[outcome] = summary.get(outcome, 0) + 1
    report = {
        "token": job["token"],
        "exit_code": code,
        "rootdir": recorder.rootdir,
        "tests": tests,
        "summary": summary,
        "failed_collectors": recorder.failed_collectors,
        "records": recorder.records,
    }
    with write(job["report"] + ".part", "w") as file:
        file.write(dump(report))
    rename(job["report"] + ".part", job["report"])
    for action in flush:
        action()
    leave(code)


if __name__ == "__main__":
    main()

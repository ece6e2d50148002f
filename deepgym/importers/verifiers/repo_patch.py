"""Applies the solution's diff to a project, and runs the record's tests against what came out.

The tests are trusted and run here; the patched project runs in the solution's own process. What the tests import from
it stands for the real thing: functions and classes are called there, and plain data comes back. So no patch can change
how a test runs or what counts as passed.
"""

import importlib.util
import json
import os
import sys
import tempfile

from deepgym_solution import apply_patch, load_files
from project import Project
from running import run_test

with open("settings.json", encoding="utf-8") as file:
    SETTINGS = json.load(file)


def verify(solution_path, test_cases_path=None):
    with open(test_cases_path or "cases.json", encoding="utf-8") as file:
        record = json.load(file)
    with open(solution_path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        patched = apply_patch(file.read(), record["files"])
    tests = record["test_files"]
    require_pytest(tests)
    # What a patch does to the tests themselves is of no account.
    sources = {path: text for path, text in patched.items() if path not in tests}
    with tempfile.TemporaryDirectory() as folder:
        project = Project(sources, SETTINGS["source_root"], SETTINGS["tops"], folder, start=load_files)
        write_files(folder, {**dict.fromkeys(packages(tests), ""), **tests})
        os.chdir(folder)
        sys.path.insert(0, folder)
        sys.meta_path.insert(0, project)
        cases = [
            judge(test, must_run, project)
            for group, must_run in (("fail_to_pass", True), ("pass_to_pass", False))
            for test in record[group]
        ]
    return verdict(cases, len(record["fail_to_pass"]))


def require_pytest(tests):
    """Tests that use pytest cannot run where it is not installed, whatever the solution is."""
    uses = any("pytest" in text for path, text in tests.items() if path.endswith(".py"))
    if uses and importlib.util.find_spec("pytest") is None:
        raise RuntimeError("the tests import pytest, which is not installed here")


def judge(test, must_run, project):
    """The case of one test; one that is skipped counts as passed only where it passed before."""
    error, skipped = run_test(test)
    project.reraise_launch_error()
    if skipped and must_run:
        error = "the test was skipped"
    return {"id": test["id"], "passed": error is None, "error": error}


def verdict(cases, wanted):
    """The share of tests that the patch had to mend; nothing, where it broke one that passed before."""
    mended = sum(case["passed"] for case in cases[:wanted])
    broken = sum(not case["passed"] for case in cases[wanted:])
    details = f"{mended} of {wanted} tests are mended"
    if broken:
        details += f", and {broken} of {len(cases) - wanted} that passed before fail"
    return {
        "score": 0.0 if broken else mended / wanted,
        "passed": not broken and mended == wanted,
        "details": details,
        "cases": cases,
    }


def packages(tests):
    """An `__init__.py` for every folder of tests, so that no package elsewhere is taken for it."""
    folders = {os.path.dirname(path) for path in tests}
    return [f"{folder}/__init__.py" for folder in folders if folder]


def write_files(folder, files):
    for path, text in files.items():
        target = os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8", newline="") as file:
            file.write(text)

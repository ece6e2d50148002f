"""Runs one test: a method of a unittest.TestCase, a method of a plain class, or a function."""

import importlib
import unittest

MAX_ERROR_CHARS = 1_000


def run_test(test):
    """Why a test failed (None when it did not), and whether it was skipped."""
    try:
        module = importlib.import_module(test["module"])
        if test["class"] is None:
            return call(getattr(module, test["function"]))
        kind = getattr(module, test["class"])
        if isinstance(kind, type) and issubclass(kind, unittest.TestCase):
            return run_unittest(kind(test["function"]))
        return run_method(kind(), test["function"])
    except unittest.SkipTest:
        return None, True
    except Exception as error:  # noqa: BLE001 - a test may raise anything
        return describe(error), False


def run_unittest(case):
    result = unittest.TestResult()
    case.run(result)
    if result.skipped:
        return None, True
    problems = [text for _, text in (*result.errors, *result.failures)]
    if result.unexpectedSuccesses:
        problems.append("it was expected to fail, and did not")
    if not result.testsRun:
        problems.append("it did not run")
    return (problems[0][-MAX_ERROR_CHARS:] if problems else None), False


def run_method(instance, name):
    method = getattr(instance, name)
    before, after = (getattr(instance, each, None) for each in ("setup_method", "teardown_method"))
    try:
        if before:
            before(*[method] * takes_argument(before))
        return call(method)
    finally:
        if after:
            after(*[method] * takes_argument(after))


def takes_argument(method):
    return min(1, method.__func__.__code__.co_argcount - 1)


def call(function):
    try:
        function()
    except unittest.SkipTest:
        return None, True
    except Exception as error:  # noqa: BLE001 - a test may raise anything
        return describe(error), False
    except BaseException as error:
        # pytest ends a test by exceptions that are none of the ordinary ones.
        if hasattr(error, "pytrace"):
            return (None, True) if type(error).__name__ == "Skipped" else (describe(error), False)
        raise
    return None, False


def describe(error):
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return text[:MAX_ERROR_CHARS]

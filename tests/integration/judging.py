"""One way to try what a verifier can do with a solution: the verifier's lines assert, and the run must score 1."""

import textwrap

from deepgym import Environment

_HEAD = """\
import os, sys, time
import pytest_free as _t
from deepgym_solution import *

def verify(solution_path, test_cases_path=None):
"""

# What verifiers of these tests share; a support file, since pytest is not in a sandbox.
_SUPPORT = """
import contextlib

@contextlib.contextmanager
def raises(kind, match=""):
    try:
        yield
    except kind as exc:
        assert match in str(exc), f"{match!r} is not in {exc!r}"
    else:
        raise AssertionError(f"{kind.__name__} was not raised")
"""


def environment(lines, **options):
    """An environment whose verifier runs these lines as the body of `verify`; without a return it scores 1."""
    code = _HEAD + textwrap.indent(textwrap.dedent(lines).strip("\n"), "    ") + "\n    return 1.0\n"
    options.setdefault("timeout", 20.0)
    options.setdefault("case_timeout", 5.0)
    options.setdefault("support_files", {"pytest_free.py": _SUPPORT})
    return Environment(task="t", verifier_code=code, verifier_mode="verify_function", **options)


def run(client, solution, lines, **options):
    """The result of one run."""
    return client.run(environment(lines, **options), textwrap.dedent(solution))


def check(client, solution, lines, **options):
    """Run the verifier's lines, which must all hold."""
    result = run(client, solution, lines, **options)
    assert result.score == 1.0, f"{result.error_type}: {result.details}\n{result.stderr}"
    return result

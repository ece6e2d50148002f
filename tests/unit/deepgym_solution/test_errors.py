"""The error tree, and the classes that stand for what a solution raised."""

import builtins
import copy
import pickle
import traceback

import pytest

from deepgym_solution.errors import (
    LaunchError,
    PatchError,
    ProtectedPathError,
    SolutionError,
    SolutionProtocolError,
    SolutionTimeoutError,
    exception_class,
)

EVERY_BUILTIN = sorted(
    {kind for kind in vars(builtins).values() if isinstance(kind, type) and issubclass(kind, BaseException)},
    key=lambda kind: kind.__name__,
)
ENDS_A_LOOP = {StopIteration, StopAsyncIteration}
ORDINARY = [kind for kind in EVERY_BUILTIN if issubclass(kind, Exception) and kind not in ENDS_A_LOOP]
BEYOND_EXCEPTION = [kind for kind in EVERY_BUILTIN if not issubclass(kind, Exception)]


def names_of(kind):
    return [base.__name__ for base in kind.__mro__]


@pytest.mark.parametrize("builtin", ORDINARY)
def test_every_builtin_exception_has_a_class_that_is_also_a_solution_error(builtin):
    kind = exception_class(names_of(builtin))
    error = kind("what happened")
    assert isinstance(error, builtin)
    assert isinstance(error, SolutionError)
    assert str(error) == "what happened"
    assert error.args[0] == "what happened"
    assert error.solution_traceback == ""
    with pytest.raises(builtin):
        raise error
    assert exception_class(names_of(builtin)) is kind


@pytest.mark.parametrize("builtin", ORDINARY)
def test_such_an_error_can_be_shown_copied_and_pickled(builtin):
    error = exception_class(names_of(builtin))("what happened")
    error.solution_traceback = "line 1"
    assert "what happened" in "".join(traceback.format_exception(error))
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(again) is type(error)
        assert str(again) == "what happened"
        assert again.solution_traceback == "line 1"


@pytest.mark.parametrize("builtin", BEYOND_EXCEPTION)
def test_what_is_no_exception_arrives_as_a_plain_solution_error(builtin):
    assert exception_class(names_of(builtin)) is SolutionError


@pytest.mark.parametrize("builtin", sorted(ENDS_A_LOOP, key=repr))
def test_an_exception_that_ends_loops_cannot_cut_a_verifiers_loop_short(builtin):
    kind = exception_class(names_of(builtin))

    def answer(_case):
        raise kind("stop")

    assert issubclass(kind, RuntimeError)
    assert not issubclass(kind, tuple(ENDS_A_LOOP))
    with pytest.raises(SolutionError):
        all(map(answer, [1, 2]))


def test_the_nearest_builtin_is_taken_for_a_class_of_the_solutions_own():
    kind = exception_class(
        ["MyError", "FileNotFoundError", "OSError", "Exception", "BaseException", "object"]
    )
    assert issubclass(kind, FileNotFoundError)
    assert issubclass(exception_class(["MyError", "Exception", "object"]), SolutionError)


@pytest.mark.parametrize(
    "names",
    [
        [],
        ["Exception"],
        ["LaunchError", "BaseException"],
        ["SolutionTimeoutError"],
        ["int", "print", "__import__", "object", "True"],
        ["\ud800", "", "ValueError "],
        [None, 5, b"ValueError", ["ValueError"]],
    ],
)
def test_names_that_are_no_builtin_exception_give_a_plain_solution_error(names):
    assert exception_class(names) is SolutionError


def test_a_str_subclass_is_not_taken_for_a_name():
    class Name(str):
        __slots__ = ()

    assert exception_class([Name("ValueError")]) is SolutionError


def test_a_group_holds_the_message_once_more():
    error = exception_class(names_of(ExceptionGroup))("two things")
    with pytest.raises(ExceptionGroup) as caught:
        raise error
    assert [str(part) for part in caught.value.exceptions] == ["two things"]


def test_a_launch_error_passes_a_verifiers_except_exception():
    assert issubclass(LaunchError, BaseException)
    assert not issubclass(LaunchError, Exception)


def test_the_details_of_an_error_are_attributes():
    error = SolutionTimeoutError("too slow", limit_s=2.5)
    assert isinstance(error, TimeoutError)
    assert (str(error), error.limit_s) == ("too slow", 2.5)
    patch = ProtectedPathError("no", file="tests/a.py", hunk=2)
    assert isinstance(patch, PatchError)
    assert (patch.file, patch.hunk) == ("tests/a.py", 2)
    assert (PatchError("x").file, PatchError("x").hunk) == (None, None)
    assert issubclass(SolutionProtocolError, SolutionError)

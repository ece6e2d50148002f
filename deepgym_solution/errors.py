"""Everything deepgym_solution raises, by who is at fault.

LaunchError (BaseException)      the machine: no solution code has run
SolutionError                    the solution: it raised, hung, died or lied
SolutionTimeoutError         ... and is also a TimeoutError
SolutionProtocolError        its process sent bytes that are not a frame
PatchError                   its patch is malformed or does not apply
ProtectedPathError       ... or touches a file that it must not
one for each builtin         it raised that builtin: exception_class(["ValueError"])
"""

import builtins
import functools
from collections.abc import Sequence

# A StopIteration that leaves a function called by map() or a generator ends the loop in silence, and
# `all(map(solution.check, cases))` would be true. Python itself turns it into a RuntimeError where it can.
_ENDS_A_LOOP = {"StopIteration": RuntimeError, "StopAsyncIteration": RuntimeError}


class LaunchError(BaseException):
    """The machine could not start the solution: none of its code has run.

    A BaseException, so that a verifier's `except Exception` around a call does not turn an outage into a
    score of zero.
    """


class SolutionError(Exception):
    """The solution raised, hung, died or lied.

    Attributes:
        solution_traceback: The solution's own traceback as text, or "" where there is none. The solution
            wrote it: show it, and believe nothing of it.
    """

    solution_traceback: str = ""


class SolutionTimeoutError(SolutionError, TimeoutError):
    """The solution took longer than it may.

    Attributes:
        limit_s: The limit, in seconds.
    """

    def __init__(self, message: str, *, limit_s: float) -> None:
        super().__init__(message)
        self.limit_s = limit_s


class SolutionProtocolError(SolutionError):
    """The solution's process sent bytes that are not a frame, or a frame that was not asked for."""


class PatchError(SolutionError):
    """The solution's patch is malformed, refused, or does not apply.

    Attributes:
        file: The path that the patch names, or None where it is not known.
        hunk: The number of the hunk in that file, from 1, or None where no single one is meant.
    """

    def __init__(self, message: str, *, file: str | None = None, hunk: int | None = None) -> None:
        super().__init__(message)
        self.file = file
        self.hunk = hunk


class ProtectedPathError(PatchError):
    """The solution's patch touches a file that is protected."""


def exception_class(names: Sequence[object]) -> type[SolutionError]:
    """The SolutionError that is also the builtin exception which the solution raised.

    Its constructor takes one message, and `str()` of an instance is that message. It is the same class
    each time. StopIteration and StopAsyncIteration give a RuntimeError, as they do when they leave a
    generator, because they would end a verifier's `map()` early and in silence.

    Args:
        names: The names of the classes in the MRO of the exception, nearest first, as the solution's process
            reports them. Only names of builtin exceptions below Exception count.

    Returns:
        A class for the first name that counts, or SolutionError itself for none (SystemExit,
        KeyboardInterrupt and the like).
    """
    for name in names:
        if type(name) is str and name in _BUILTINS:
            return _raised_class(name)
    return SolutionError


_BUILTINS: dict[str, type[Exception]] = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type)
    and issubclass(kind, Exception)
    and kind is not Exception
    and kind.__name__ == name
}


@functools.cache
def _raised_class(name: str) -> type[SolutionError]:
    base = _ENDS_A_LOOP.get(name, _BUILTINS[name])

    def __init__(self: Exception, message: str) -> None:  # noqa: N807
        if issubclass(base, UnicodeError):  # some want a codec and a position, which are not known
            self.args = (message,)
        else:
            base.__init__(self, message)

    def __str__(self: Exception) -> str:  # noqa: N807 (KeyError would show the repr, a group would add to it)
        return str(self.args[0])

    def __reduce__(self: Exception) -> tuple[object, ...]:  # noqa: N807
        return _raised_again, (name, str(self)), self.__dict__

    members: dict[str, object] = {
        "__module__": __name__,
        "__doc__": f"The solution raised {name}.",
        "__init__": __init__,
        "__str__": __str__,
        "__reduce__": __reduce__,
    }
    if issubclass(base, ExceptionGroup):
        members["__new__"] = _new_group
    return type(f"Raised{name}", (SolutionError, base), members)


def _new_group(cls: type[ExceptionGroup[Exception]], message: str) -> ExceptionGroup[Exception]:
    return ExceptionGroup.__new__(cls, message, [SolutionError(message)])  # a group cannot be empty


def _raised_again(name: str, message: str) -> SolutionError:
    return _raised_class(name)(message)

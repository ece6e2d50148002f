"""Whose doing it was that tests could not be collected. Pure: records in, an answer out.

Only files that the candidate could have written speak against it: those inside the workspace that the
task neither restored nor named as its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Failure:
    """One exception of a batch.

    Attributes:
        kind: ``dependency`` (a missing module), ``import`` (another ImportError), ``interrupt`` (something
            that ends the run) or ``error``.
        file: The file it came from.
        frames: Every file that was on the stack.
        nodeid: The collector that failed by it; None while pytest started or stopped.
        missing: The module that was not found.
    """

    kind: str
    file: str | None
    nodeid: str | None
    missing: str | None
    frames: tuple[str, ...] = ()

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Failure:
        """The failure that the recorder wrote down."""
        return cls(
            record["kind"], record["file"], record["nodeid"], record["missing"], tuple(record["frames"])
        )


@dataclass(frozen=True)
class Ground:
    """What belongs to whom: the workspace, the files in it that are the task's, the candidate's modules."""

    workspace: Path
    protected: frozenset[Path]
    candidate_modules: tuple[str, ...]

    def is_candidates(self, file: str | None) -> bool:
        """Whether a file exists in the workspace and is not the task's."""
        if not file:
            return False
        path = Path(file)
        return path.is_relative_to(self.workspace) and path.is_file() and path not in self.protected

    def attributable(self, failure: Failure) -> bool:
        """Whether a failure is the candidate's doing.

        It is, whenever a file of the candidate was on the stack: through what it called or imported there
        makes no difference, or it could choose a failure that leaves it ungraded.
        """
        if any(map(self.is_candidates, failure.frames)):
            return True
        missing = failure.missing
        if failure.kind in ("dependency", "import"):
            if missing is not None and any(_related(missing, module) for module in self.candidate_modules):
                return True
            if failure.kind == "import" or missing is None or "." not in missing:
                return False
            return self.is_candidates(str(self._package_file(missing)))
        return self.is_candidates(failure.file)

    def _package_file(self, module: str) -> Path:
        return self.workspace.joinpath(*module.split(".")[:-1], "__init__.py")

    def files(self, failures: Sequence[Failure]) -> list[str]:
        """The candidate's files among those that failures came from, relative to the workspace."""
        named = {file for failure in failures for file in (failure.file, *failure.frames) if file}
        found = {Path(file) for file in named if self.is_candidates(file)}
        return sorted(path.relative_to(self.workspace).as_posix() for path in found)


def _related(missing: str, module: str) -> bool:
    """Whether a missing module is a candidate's module, lies below it, or is a package it lies in."""
    return missing == module or missing.startswith(f"{module}.") or module.startswith(f"{missing}.")


def missing_in_tests(failures: Sequence[Failure], tests: Sequence[Path]) -> list[str]:
    """The missing modules, if every failure is one that a listed test file itself imports; else none."""
    names = set()
    for failure in failures:
        direct = failure.file is not None and any(Path(failure.file).is_relative_to(test) for test in tests)
        if failure.kind != "dependency" or failure.missing is None or not direct:
            return []
        names.add(failure.missing)
    return sorted(names)

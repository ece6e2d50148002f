"""The unsolvable mode: no answer earns credit; only ejecting the task does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifyit._answer import empty_output_policy
from verifyit.reward import Reward, scored

if TYPE_CHECKING:
    from pathlib import Path

    from verifyit.spec import UnsolvableSpec


def validate_unsolvable(spec: UnsolvableSpec) -> None:
    """Check that the spec can be graded by.

    Raises:
        InvalidTask: The policy for blank answers is unusable.
    """
    empty_output_policy(spec)


def grade_unsolvable_candidate(spec: UnsolvableSpec, _candidate: str) -> Reward:
    """Zero, whatever the answer is.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_unsolvable(spec)
    return scored(0.0)


def grade(spec: UnsolvableSpec, _tests_dir: Path, _workspace: Path) -> Reward:
    """Zero, whatever the answer file holds.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_unsolvable(spec)
    return scored(0.0)

"""Question answering in the shapes that SkyRL's environments call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifyit._aggregation import Aggregation, aggregate_rewards
from verifyit.modes.grade_exact import grade_collection_f1, grade_exact_candidate
from verifyit.reward import InvalidTask, Reward
from verifyit.spec import ExactSpec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet


def grade_qa_exact(candidate: str, references: Sequence[str]) -> Reward:
    """The best of exact comparisons with several references.

    Raises:
        InvalidTask: There are no references.
    """
    if isinstance(references, str) or not references:
        raise InvalidTask("there must be a list of references")
    verdicts = [grade_exact_candidate(ExactSpec((reference,)), candidate) for reference in references]
    return aggregate_rewards(verdicts, expected_total=len(verdicts), policy=Aggregation.MAX)


def grade_qa_token_sets(candidate: AbstractSet[str], reference: AbstractSet[str]) -> Reward:
    """The F1 of two sets of tokens."""
    return grade_collection_f1(
        reference, candidate, multiplicity="set", empty_reference="zero", round_digits=None
    )

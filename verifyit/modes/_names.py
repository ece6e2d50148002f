"""What xml-elements and csv-columns share: names that are required, and names of which one is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from verifyit._answer import empty_output_policy
from verifyit.reward import InvalidTask

if TYPE_CHECKING:
    from verifyit.spec import CsvColumnsSpec, XmlElementsSpec

# A longer list of missing names tells no more.
MAX_SHOWN_NAMES = 8


class NameSpec(Protocol):
    """A spec with required and alternative names."""

    @property
    def required(self) -> tuple[str, ...]:
        """The names that must all be there."""

    @property
    def any_of(self) -> tuple[str, ...]:
        """The names of which one must be there."""


def validate_names(spec: XmlElementsSpec | CsvColumnsSpec) -> None:
    """Check that a spec names something.

    Raises:
        InvalidTask: A field is not a list of texts, or both are empty.
    """
    empty_output_policy(spec)
    for field in ("required", "any_of"):
        names: object = getattr(spec, field)
        if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
            raise InvalidTask(f"{field} must be a list of texts")
    if not spec.required and not spec.any_of:
        raise InvalidTask("required and any_of are both empty")


def missing_names(spec: NameSpec, present: set[str]) -> list[str]:
    """The first few required names that are not there."""
    return [name for name in spec.required if name not in present][:MAX_SHOWN_NAMES]


def lacks_alternative(spec: NameSpec, present: set[str]) -> bool:
    """Whether the spec lists alternatives and none of them is there."""
    return bool(spec.any_of) and present.isdisjoint(spec.any_of)

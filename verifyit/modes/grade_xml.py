"""The xml-elements mode: a document that uses the names it should use.

The document was written by the candidate. Its names are gathered while it is parsed and no tree is
built, so that neither depth nor entities that expand to millions of elements cost memory; how often
they may expand is bounded here, on top of the parser's own bound.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from verifyit._answer import read_answer
from verifyit.modes._names import MAX_SHOWN_NAMES, lacks_alternative, missing_names, validate_names
from verifyit.modes.extract import unwrap_fence
from verifyit.reward import Reward, scored

if TYPE_CHECKING:
    from pathlib import Path

    from verifyit.spec import XmlElementsSpec

# An answer of the largest size cannot spell out more elements than this; entities could.
MAX_ELEMENTS = 1_000_000


def local_name(name: str) -> str:
    """A name without its namespace."""
    return name.rpartition("}")[2]


def document_names(root: ET.Element) -> set[str]:
    """The local names of every element and attribute of a tree."""
    names = set()
    for element in root.iter():
        # A comment or processing instruction has a function in the place of its tag.
        if isinstance(element.tag, str):
            names.add(local_name(element.tag))
            names.update(map(local_name, element.keys()))
    return names


class _TooManyElementsError(ValueError):
    """The document expands beyond MAX_ELEMENTS."""


class _NameCollector:
    """A target for the parser that keeps names only."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._elements = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            raise _TooManyElementsError(f"more than {MAX_ELEMENTS} elements")
        self.names.add(local_name(tag))
        self.names.update(map(local_name, attributes))

    def close(self) -> None:
        """The parser's last call; the names are there already."""


def _parsed_names(text: str) -> set[str]:
    collector = _NameCollector()
    parser = ET.XMLParser(target=collector)  # noqa: S314 - see the top of the module
    parser.feed(text)
    parser.close()
    return collector.names


def validate_xml_elements(spec: XmlElementsSpec) -> None:
    """Check that the spec can be graded by.

    Raises:
        InvalidTask: It names nothing, or a field has the wrong type.
    """
    validate_names(spec)


def grade_xml_candidate(spec: XmlElementsSpec, text: str) -> Reward:
    """Whether a text is one well-formed document that uses the names of the spec.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_xml_elements(spec)
    try:
        names = _parsed_names(unwrap_fence(text).strip())
    except (ET.ParseError, ValueError) as error:
        # ValueError: a lone surrogate, which no XML document can hold, or too many elements.
        return scored(0.0, reason="parse_error", error=str(error))
    missing = missing_names(spec, names)
    if missing:
        return scored(0.0, reason="missing_elements", missing=missing)
    if lacks_alternative(spec, names):
        return scored(0.0, reason="no_expected_element", expected=list(spec.any_of[:MAX_SHOWN_NAMES]))
    return scored(1.0, reason="names_present", names=len(names))


def grade(spec: XmlElementsSpec, tests_dir: Path, workspace: Path) -> Reward:  # noqa: ARG001 - the shape of every grader
    """Grade the document in the answer file.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_xml_elements(spec)
    answer = read_answer(spec, workspace)
    return answer if isinstance(answer, Reward) else grade_xml_candidate(spec, answer)

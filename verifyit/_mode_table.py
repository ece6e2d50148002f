"""Which spec belongs to which mode, and where its grader lives; published as ``verifyit.spec``.

Graders are named, not imported: a mode's module loads when the mode is first used, so that an extra
that is not installed hurts only the modes that need it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from verifyit._spec_types import (
    AnswerKeySpec,
    CsvColumnsSpec,
    ExactSpec,
    GotestSpec,
    IfevalSpec,
    JsonSchemaSpec,
    JudgeSpec,
    JunitSpec,
    MathSpec,
    McqSpec,
    Mode,
    NumericSpec,
    PredictedActionSpec,
    PytestSpec,
    ReasoningGymSpec,
    ScriptSpec,
    Spec,
    StdioSpec,
    StructureClosureSpec,
    StructuredExactSpec,
    UnsolvableSpec,
    XmlElementsSpec,
)


@dataclass(frozen=True)
class CandidateEntrypoints:
    """The names, in a mode's module, of its spec validator and its in-process grader.

    ``check_reference`` names what finds an unusable reference where the validator alone does not:
    it runs before a blank answer is scored.
    """

    validate: str
    grade: str
    check_reference: str | None = None


@dataclass(frozen=True)
class ModeDescriptor:
    """A mode: its spec, its module under ``verifyit.modes``, and its in-process grader if it has one."""

    spec_type: type[Any]
    module: str
    candidate: CandidateEntrypoints | None = None


def _in_process(
    spec_type: type[Any], module: str, validate: str, grade: str, check_reference: str | None = None
) -> ModeDescriptor:
    return ModeDescriptor(spec_type, module, CandidateEntrypoints(validate, grade, check_reference))


MODE_DESCRIPTORS: dict[Mode, ModeDescriptor] = {
    Mode.UNSOLVABLE: _in_process(
        UnsolvableSpec, "grade_unsolvable", "validate_unsolvable", "grade_unsolvable_candidate"
    ),
    Mode.STRUCTURED_EXACT: _in_process(
        StructuredExactSpec,
        "grade_structured_exact",
        "validate_structured_exact",
        "grade_structured_exact_candidate",
    ),
    Mode.PREDICTED_ACTION: _in_process(
        PredictedActionSpec,
        "grade_predicted_action",
        "validate_predicted_action",
        "grade_predicted_action_candidate",
    ),
    Mode.ANSWER_KEY: ModeDescriptor(AnswerKeySpec, "grade_answer_key"),
    Mode.MCQ: _in_process(McqSpec, "grade_mcq", "validate_mcq", "grade_mcq_candidate"),
    Mode.MATH: _in_process(
        MathSpec, "grade_math", "validate_math", "grade_math_text_candidate", "check_math_reference"
    ),
    Mode.NUMERIC: _in_process(NumericSpec, "grade_math", "validate_numeric", "grade_numeric_text_candidate"),
    Mode.EXACT: _in_process(ExactSpec, "grade_exact", "validate_exact", "grade_exact_candidate"),
    Mode.STRUCTURE_CLOSURE: _in_process(
        StructureClosureSpec,
        "grade_structure_closure",
        "validate_structure_closure",
        "grade_structure_closure_candidate",
    ),
    Mode.JSON_SCHEMA: _in_process(
        JsonSchemaSpec,
        "grade_json_schema",
        "validate_json_schema",
        "grade_json_resource_candidate",
        "check_schema_resource",
    ),
    Mode.XML_ELEMENTS: _in_process(
        XmlElementsSpec, "grade_xml", "validate_xml_elements", "grade_xml_candidate"
    ),
    Mode.CSV_COLUMNS: _in_process(CsvColumnsSpec, "grade_csv", "validate_csv_columns", "grade_csv_candidate"),
    Mode.IFEVAL: _in_process(IfevalSpec, "grade_ifeval", "validate_ifeval", "grade_ifeval_candidate"),
    Mode.REASONING_GYM: ModeDescriptor(ReasoningGymSpec, "grade_reasoning_gym"),
    Mode.STDIO: ModeDescriptor(StdioSpec, "grade_stdio"),
    Mode.PYTEST: ModeDescriptor(PytestSpec, "grade_pytest"),
    Mode.JUNIT: ModeDescriptor(JunitSpec, "grade_junit"),
    Mode.GOTEST: ModeDescriptor(GotestSpec, "grade_gotest"),
    Mode.JUDGE: ModeDescriptor(JudgeSpec, "grade_judge"),
    Mode.SCRIPT: ModeDescriptor(ScriptSpec, "grade_script"),
}

MODES: dict[Mode, type[Any]] = {mode: entry.spec_type for mode, entry in MODE_DESCRIPTORS.items()}

_MODE_OF_TYPE = {spec_type: mode for mode, spec_type in MODES.items()}


def mode_of(spec: Spec) -> Mode:
    """The mode that a spec belongs to.

    Raises:
        ValueError: The value is not a spec of any mode.
    """
    mode = _MODE_OF_TYPE.get(type(spec))
    if mode is None:
        raise ValueError(f"{type(spec).__name__} is not the spec of a mode")
    return mode

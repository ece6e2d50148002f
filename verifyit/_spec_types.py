"""The spec of every mode as a frozen dataclass; published as ``verifyit.spec``.

The declared types are what ``spec_from_table`` coerces by, and the declaration order is the order
in which ``spec_to_table`` writes the fields.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from verifyit.json_comparison import JsonValue, NumericTypePolicy

DEFAULT_OUTPUT = "/app/answer.txt"
DEFAULT_WORKSPACE = "/app"
DEFAULT_REWARD_KEY = "reward"

RUBRIC_REFERENCE = "reference"
RUBRIC_CHECKLIST = "checklist"
RUBRIC_LABELS = "labels"


class Mode(StrEnum):
    """The name of a grader, as ``mode`` in a spec."""

    UNSOLVABLE = "unsolvable"
    ANSWER_KEY = "answer-key"
    STRUCTURED_EXACT = "structured_exact"
    PREDICTED_ACTION = "predicted_action"
    MCQ = "mcq"
    MATH = "math"
    NUMERIC = "numeric"
    EXACT = "exact"
    STRUCTURE_CLOSURE = "structure_closure"
    JSON_SCHEMA = "json-schema"
    XML_ELEMENTS = "xml-elements"
    CSV_COLUMNS = "csv-columns"
    IFEVAL = "ifeval"
    REASONING_GYM = "reasoning-gym"
    STDIO = "stdio"
    PYTEST = "pytest"
    JUNIT = "junit"
    GOTEST = "gotest"
    JUDGE = "judge"
    SCRIPT = "script"


class MathType(StrEnum):
    """What kind of object a math answer is."""

    SCALAR = "scalar"
    INTERVAL = "interval"
    SET = "set"
    TUPLE = "tuple"
    LIST = "list"
    EQUATION = "equation"


class MathProfile(StrEnum):
    """Where in the candidate a math answer is looked for, and how it is read."""

    ANCHORED = "anchored"
    BOXED = "boxed"
    RAW = "raw"


class SchemaFormat(StrEnum):
    """The notation of a candidate that is validated against a JSON Schema."""

    JSON = "json"
    YAML = "yaml"
    TOML = "toml"


class Compare(StrEnum):
    """How stdio mode compares what a program wrote."""

    EXACT = "exact"
    TOKENS = "tokens"
    FLOAT = "float"
    DECIMAL_LINES = "decimal_lines"


class TestIdMatching(StrEnum):
    """How pytest mode finds a required test among the reported ones."""

    # The name begins with "Test"; this keeps pytest from collecting the class.
    __test__ = False

    EXACT = "exact"
    UNIQUE_PREFIX = "unique_prefix"


class ClosureFormat(StrEnum):
    """The structures that can be begun and closed; published by ``verifyit.closure_scoring``."""

    JSON = "json"
    TOOL = "tool"
    REASONING = "reasoning"
    CODE_FENCE = "code_fence"


class EmptyOutputPolicy(StrEnum):
    """What a blank answer is: worth zero at once, or an answer like any other."""

    ZERO = "zero"
    GRADE = "grade"


class JudgeRuntimeSource(StrEnum):
    """Where a judge finds its endpoint."""

    ENVIRONMENT = "environment"


@dataclass(frozen=True)
class FunctionCall:
    """A call of a tool: its name and its arguments, an object of JSON values."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Constraint:
    """One instruction that a text has to follow, with its parameters."""

    name: str
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class UnsolvableSpec:
    """A task without an answer: only ejecting it earns credit."""

    output: str = DEFAULT_OUTPUT
    empty_output: EmptyOutputPolicy = field(default=EmptyOutputPolicy.ZERO, kw_only=True)


@dataclass(frozen=True)
class PredictedActionSpec:
    """The tool calls that are expected, in any order."""

    expected_calls: tuple[FunctionCall, ...]
    numeric_tolerance: float | None = None
    output: str = DEFAULT_OUTPUT
    empty_output: EmptyOutputPolicy = field(default=EmptyOutputPolicy.ZERO, kw_only=True)


@dataclass(frozen=True)
class StructuredExactSpec:
    """The JSON value that is expected."""

    expected: JsonValue
    output: str = DEFAULT_OUTPUT
    empty_output: EmptyOutputPolicy = field(default=EmptyOutputPolicy.ZERO, kw_only=True)
    numeric_types: NumericTypePolicy = NumericTypePolicy.VALUE


@dataclass(frozen=True)
class AnswerKeySpec:
    """The values that are expected of several tasks, and which differences from them do not count.

    The switches are those of ``verifyit.answer_key.CanonicalForm``; ``overrides`` maps a task to the
    switches that differ for it.
    """

    expected: JsonValue
    coverage: str = "exact"
    output: str = DEFAULT_OUTPUT
    empty_output: EmptyOutputPolicy = field(default=EmptyOutputPolicy.ZERO, kw_only=True)
    strip: bool = False
    fold_case: bool = False
    nfc: bool = False
    parse_numbers: bool = False
    rel_tol: float = 0.0
    abs_tol: float = 0.0
    overrides: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class McqSpec:
    """The letter of the right option."""

    expected: str
    options: int = 4
    output: str = DEFAULT_OUTPUT
    empty_output: EmptyOutputPolicy = field(default=EmptyOutputPolicy.ZERO, kw_only=True)


@dataclass(frozen=True)
class MathSpec:
    """A mathematical object, in LaTeX or plain notation."""

    expected: str
    math_type: MathType = MathType.SCALAR
    output: str = DEFAULT_OUTPUT
    empty_output: EmptyOutputPolicy = field(default=EmptyOutputPolicy.ZERO, kw_only=True)
    profile: MathProfile = MathProfile.ANCHORED
    allow_additive_constant: bool = False


@dataclass(frozen=True)
class NumericSpec:
    """A number and how far from it an answer may be."""

    expected: str
    tolerance_abs: float
    tolerance_rel: float
    output: str = DEFAULT_OUTPUT
    empty_output: EmptyOutputPolicy = field(default=EmptyOutputPolicy.ZERO, kw_only=True)


@dataclass(frozen=True)
class ExactSpec:
    """A text, or a list of texts, compared after light normalization."""

    expected: tuple[str, ...]
    ignore_case: bool = True
    ignore_whitespace: bool = True
    ordered: bool = True
    output: str = DEFAULT_OUTPUT
    empty_output: EmptyOutputPolicy = field(default=EmptyOutputPolicy.ZERO, kw_only=True)
    strip_outer_whitespace: bool = True
    substring: bool = False


@dataclass(frozen=True)
class StructureClosureSpec:
    """A structure that was begun, and the whole that it has to become."""

    prefix: str
    expected: str
    format: ClosureFormat
    output: str = DEFAULT_OUTPUT
    empty_output: EmptyOutputPolicy = field(default=EmptyOutputPolicy.GRADE, kw_only=True)


@dataclass(frozen=True)
class JsonSchemaSpec:
    """A JSON Schema that a document has to satisfy."""

    schema: str = "schema.json"
    format: SchemaFormat = SchemaFormat.JSON
    output: str = DEFAULT_OUTPUT
    empty_output: EmptyOutputPolicy = field(default=EmptyOutputPolicy.ZERO, kw_only=True)


@dataclass(frozen=True)
class XmlElementsSpec:
    """Names that an XML document has to use."""

    required: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    output: str = DEFAULT_OUTPUT
    empty_output: EmptyOutputPolicy = field(default=EmptyOutputPolicy.ZERO, kw_only=True)


@dataclass(frozen=True)
class CsvColumnsSpec:
    """Columns that a CSV table has to have."""

    required: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    output: str = DEFAULT_OUTPUT
    empty_output: EmptyOutputPolicy = field(default=EmptyOutputPolicy.ZERO, kw_only=True)


@dataclass(frozen=True)
class IfevalSpec:
    """Instructions that a text has to follow, all of them."""

    constraints: tuple[Constraint, ...]
    output: str = DEFAULT_OUTPUT
    empty_output: EmptyOutputPolicy = field(default=EmptyOutputPolicy.ZERO, kw_only=True)


@dataclass(frozen=True)
class ReasoningGymSpec:
    """An entry of a reasoning-gym dataset, scored by that dataset."""

    dataset: str
    entry: str = "entry.json"
    output: str = DEFAULT_OUTPUT
    empty_output: EmptyOutputPolicy = field(default=EmptyOutputPolicy.ZERO, kw_only=True)
    params: str | None = None


@dataclass(frozen=True)
class StdioSpec:
    """A program that is run on inputs and whose outputs are compared."""

    command: str
    build: str = ""
    cases: str = "cases"
    compare: Compare = Compare.TOKENS
    special_judge: str | None = None
    per_case_timeout: float = 10.0
    min_cases: int = 1
    float_tolerance: float = 1e-06
    workspace: str = DEFAULT_WORKSPACE


@dataclass(frozen=True)
class PytestSpec:
    """A run of pytest over the candidate's workspace."""

    paths: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    candidate_modules: tuple[str, ...] = ()
    must_pass: tuple[str, ...] = ()
    must_not_break: tuple[str, ...] = ()
    setup: str = ""
    restore: tuple[str, ...] = ()
    protected_paths_files: tuple[str, ...] = ()
    python: str = "python3"
    timeout: float = 600.0
    workspace: str = DEFAULT_WORKSPACE
    setup_failure_is_infra: bool = False
    batch_size: int = 0
    id_matching: TestIdMatching = TestIdMatching.EXACT


@dataclass(frozen=True)
class JunitSpec:
    """A command that leaves JUnit XML reports."""

    command: str
    report: str = "**/TEST-*.xml"
    must_pass: tuple[str, ...] = ()
    must_not_break: tuple[str, ...] = ()
    setup: str = ""
    restore: tuple[str, ...] = ()
    timeout: float = 600.0
    workspace: str = DEFAULT_WORKSPACE


@dataclass(frozen=True)
class GotestSpec:
    """A run of ``go test`` over the candidate's workspace."""

    packages: tuple[str, ...] = ("./...",)
    args: tuple[str, ...] = ()
    must_pass: tuple[str, ...] = ()
    must_not_break: tuple[str, ...] = ()
    setup: str = ""
    restore: tuple[str, ...] = ()
    timeout: float = 600.0
    workspace: str = DEFAULT_WORKSPACE


@dataclass(frozen=True)
class JudgeSpec:
    """A language model that grades an answer against references, criteria or labels."""

    references: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    question: str = ""
    context: str = ""
    constraints: tuple[Constraint, ...] = ()
    rubric: str = RUBRIC_REFERENCE
    model: str = ""
    exact_gate: bool = True
    request_timeout: float = 120.0
    output: str = DEFAULT_OUTPUT
    empty_output: EmptyOutputPolicy = field(default=EmptyOutputPolicy.ZERO, kw_only=True)
    system_prompt: str = ""
    prompt_template: str = ""
    label_scores: dict[str, Any] = field(default_factory=dict)
    exact_gate_answers: tuple[str, ...] = ()
    exact_gate_label: str = ""
    strip_reasoning_blocks: bool = False
    strip_candidate_reasoning_blocks: bool = False
    max_completion_tokens: int = 8192
    incomplete_retry_tokens: int = 0
    reasoning_effort: str = ""
    label_scan: str = "literal"
    label_case: str = "sensitive"
    api: str = "chat_completions"


@dataclass(frozen=True)
class ScriptSpec:
    """A script of the task that reports a reward."""

    path: str
    args: tuple[str, ...] = ()
    timeout: float = 600.0
    workspace: str = DEFAULT_WORKSPACE
    reward_key: str = DEFAULT_REWARD_KEY
    verdict_file: str | None = None


Spec: TypeAlias = (
    UnsolvableSpec
    | PredictedActionSpec
    | StructuredExactSpec
    | AnswerKeySpec
    | McqSpec
    | MathSpec
    | NumericSpec
    | ExactSpec
    | StructureClosureSpec
    | JsonSchemaSpec
    | XmlElementsSpec
    | CsvColumnsSpec
    | IfevalSpec
    | ReasoningGymSpec
    | StdioSpec
    | PytestSpec
    | JunitSpec
    | GotestSpec
    | JudgeSpec
    | ScriptSpec
)

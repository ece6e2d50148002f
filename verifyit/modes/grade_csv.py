"""The csv-columns mode: a table that has the columns it should have."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from verifyit._answer import read_answer
from verifyit.modes._names import MAX_SHOWN_NAMES, lacks_alternative, missing_names, validate_names
from verifyit.modes.extract import unwrap_fence
from verifyit.reward import Reward, scored

if TYPE_CHECKING:
    from pathlib import Path

    from verifyit.spec import CsvColumnsSpec

_BYTE_ORDER_MARK = "\ufeff"


def data_rows(text: str) -> list[list[str]]:
    """The rows of a CSV text, its first fence unwrapped, that have a cell which is not blank.

    Raises:
        csv.Error: The text cannot be read as CSV.
    """
    table = unwrap_fence(text).strip().removeprefix(_BYTE_ORDER_MARK).strip()
    # newline=None reads all three kinds of line end as one.
    reader = csv.reader(io.StringIO(table, newline=None))
    return [row for row in reader if any(cell.strip() for cell in row)]


def validate_csv_columns(spec: CsvColumnsSpec) -> None:
    """Check that the spec can be graded by.

    Raises:
        InvalidTask: It names no column, or a field has the wrong type.
    """
    validate_names(spec)


def grade_csv_candidate(spec: CsvColumnsSpec, text: str) -> Reward:
    """Whether a text is a table of at least one data row with the columns of the spec.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_csv_columns(spec)
    try:
        rows = data_rows(text)
    except csv.Error as error:
        return scored(0.0, reason="parse_error", error=str(error))
    if len(rows) < 2:
        return scored(0.0, reason="too_few_rows", rows=len(rows))
    columns = {cell.strip() for cell in rows[0]}
    missing = missing_names(spec, columns)
    if missing:
        return scored(0.0, reason="missing_columns", missing=missing)
    if lacks_alternative(spec, columns):
        return scored(0.0, reason="no_expected_column", expected=list(spec.any_of[:MAX_SHOWN_NAMES]))
    return scored(1.0, reason="columns_present", rows=len(rows) - 1)


def grade(spec: CsvColumnsSpec, tests_dir: Path, workspace: Path) -> Reward:  # noqa: ARG001 - the shape of every grader
    """Grade the table in the answer file.

    Raises:
        InvalidTask: The spec cannot be graded by.
    """
    validate_csv_columns(spec)
    answer = read_answer(spec, workspace)
    return answer if isinstance(answer, Reward) else grade_csv_candidate(spec, answer)

"""MBPP's records, of the full and of the sanitized edition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deepgym.datasets import mbpp_record
from deepgym.importers.humaneval import pack_task
from deepgym.importers.record import Options
from deepgym.packing import PackedRecord

__all__ = ["import_record"]


def import_record(record: Mapping[str, Any], options: Options) -> PackedRecord:
    """The environment of a record: `task_id`, `text` or `prompt`, `code`, `test_list`.

    Raises:
        RecordError: A field is missing, or its code cannot be parsed.
    """
    return pack_task(mbpp_record(record, shown_tests=options.shown_tests))

"""HumanEval's records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deepgym.datasets import TaskRecord, humaneval_record
from deepgym.importers.record import Options
from deepgym.packing import Answer, PackedRecord

__all__ = ["import_record", "pack_task"]


def import_record(record: Mapping[str, Any], options: Options) -> PackedRecord:
    """The environment of a record: `task_id`, `prompt`, `entry_point`, `test`, `canonical_solution`.

    Raises:
        RecordError: A field is missing, or its code cannot be parsed.
    """
    del options
    return pack_task(humaneval_record(record))


def pack_task(task: TaskRecord) -> PackedRecord:
    """A dataset's task, with its own solution as the reference."""
    env = task.environment
    settings = {"metadata": {"type": "function", **env.metadata}}
    reference = task.reference_solution
    return PackedRecord(
        env.model_copy(update=settings),
        reference=None if reference is None else Answer("reference_solution.py", reference),
    )

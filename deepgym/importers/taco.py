"""TACO's records: those of APPS with more about them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from deepgym.importers.apps import input_output_environment, pack_solutions
from deepgym.importers.record import Options, json_field
from deepgym.packing import PackedRecord

__all__ = ["import_record"]

_SECONDS = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,4})?)\s{0,3}(?:s|sec|seconds?)?\b")
_QUOTED = re.compile(r"'([^']+)'|\"([^\"]+)\"")
_NOT_IN_TAGS = re.compile(r"[^a-z0-9]+")


def import_record(record: Mapping[str, Any], options: Options) -> PackedRecord:
    """The environment of a record: `question`, `input_output`, `solutions`, `time_limit`, `tags` and others.

    Raises:
        RecordError: A field is missing or malformed.
    """
    limit = _SECONDS.match(str(record.get("time_limit") or "").strip())
    tags = [_NOT_IN_TAGS.sub("-", tag.lower()).strip("-") for tag in _tags(record)]
    env = input_output_environment(
        record,
        options,
        dataset="taco",
        metadata={
            "task_id": str(record.get("name") or record.get("id") or ""),
            "source": record.get("url") or record.get("source"),
        },
        time_limit_s=float(limit[1]) if limit else None,
        tags=[tag for tag in tags if tag],
    )
    return pack_solutions(env, json_field(record, "solutions", []))


def _tags(record: Mapping[str, Any]) -> list[str]:
    """The record's tags: a list, or the text of one as Python writes it."""
    value = record.get("tags") or []
    if isinstance(value, str):
        return [single or double for single, double in _QUOTED.findall(value)]
    return [tag for tag in value if isinstance(tag, str)] if isinstance(value, list) else []

"""Examinations that are done, so that a long run over many environments can be taken up where it was left.

One file of JSON lines: a key made of everything that a report depends on, and the report. A line that was cut short by
an interruption is passed over, and its environment is examined again.
"""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import asdict
from pathlib import Path

from deepgym.errors import UsageError
from deepgym.qa.report import Options, QaReport
from deepgym.qa.subject import Subject

__all__ = ["State", "subject_key"]

# Raised when the examinations change, so that old reports do not stand for new ones.
EDITION = 1


class State:
    """Reports by key, in a file that grows by one line a report."""

    def __init__(self, path: Path | None) -> None:
        """Read what is there.

        Args:
            path: The file; None keeps nothing.

        Raises:
            UsageError: It cannot be read.
        """
        self._path = path
        self._lock = threading.Lock()
        self._reports: dict[str, QaReport] = {}
        if path is not None and path.exists():
            try:
                lines = path.read_text("utf-8").splitlines()
            except (OSError, UnicodeDecodeError) as error:
                raise UsageError(f"{path} cannot be read: {error}") from None
            for line in lines:
                try:
                    row = json.loads(line)
                    self._reports[row["key"]] = QaReport.from_json(row["report"])
                except (ValueError, KeyError, TypeError):
                    continue  # cut short, or of another edition

    def find(self, key: str) -> QaReport | None:
        """The report of an examination that is done."""
        return self._reports.get(key)

    def keep(self, key: str, report: QaReport) -> None:
        """Write a report down; one that could not tell is not kept, so that it is tried again.

        Raises:
            UsageError: The file cannot be written.
        """
        if self._path is None or report.exit_code == 2:
            return
        line = json.dumps({"key": key, "report": report.to_json()})
        with self._lock:
            try:
                with open(self._path, "a", encoding="utf-8") as file:
                    file.write(line + "\n")
            except OSError as error:
                raise UsageError(f"{self._path} cannot be written: {error.strerror}") from None


def subject_key(subject: Subject, options: Options) -> str:
    """A hash of everything that a report depends on."""
    env = subject.environment
    source = env.read_verifier()
    parts = {
        "edition": EDITION,
        "name": subject.name,
        "environment": json.loads(
            env.model_copy(update={"verifier_path": None, "verifier_code": ""}).model_dump_json()
        ),
        "verifier": source if isinstance(source, str) else source.decode("utf-8", "backslashreplace"),
        "answers": [
            [answer.name, answer.text] if answer else None
            for answer in (subject.reference, *subject.right, *subject.wrong)
        ],
        "options": asdict(options),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()

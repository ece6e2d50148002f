"""ARC-AGI-2 grids of Harbor tasks, as a command: ``python -m verifyit.adapters.harbor_arc_agi_2 key answer``."""

from __future__ import annotations

import argparse
from pathlib import Path

from verifyit.adapters._answers import grade_grid, is_grid, shown
from verifyit.adapters._command import candidate_text, logs_option, reference_text, write_verdict
from verifyit.json_objects import decode_unique
from verifyit.reward import InvalidTask, Reward, scored


def grade_grids(expected: object, candidate: object) -> Reward:
    """Whether two grids of 1 to 30 by 1 to 30 digits are the same.

    Raises:
        InvalidTask: The expected value is not such a grid.
    """
    return grade_grid(expected, candidate)


def grade_files(expected_path: Path, candidate_path: Path) -> Reward:
    """Grade an answer file that holds a grid as JSON.

    Raises:
        InvalidTask: The expected grid cannot be read.
    """
    try:
        expected = decode_unique(reference_text(expected_path))
    except ValueError as error:
        raise InvalidTask(f"the expected grid is not JSON: {error}") from None
    if not is_grid(expected):
        raise InvalidTask("the expected value is not a grid of digits")
    try:
        text = candidate_text(candidate_path)
        if text is None:
            return scored(0.0, reason="no_output")
        candidate = decode_unique(text)
    except ValueError as error:
        return scored(0.0, reason="invalid_answer_file", error=shown(str(error)))
    return grade_grids(expected, candidate)


def main(argv: list[str] | None = None) -> int:
    """Grade a file and write the verdict's files.

    Raises:
        OSError: The verdict's files cannot be written.
    """
    parser = argparse.ArgumentParser(prog="harbor_arc_agi_2", description="Grade a grid.")
    parser.add_argument("expected", type=Path)
    parser.add_argument("candidate", type=Path)
    logs_option(parser)
    options = parser.parse_args(argv)
    return write_verdict(options.logs_dir, lambda: grade_files(options.expected, options.candidate))


if __name__ == "__main__":
    raise SystemExit(main())

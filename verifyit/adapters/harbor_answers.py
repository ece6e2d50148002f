"""Short answers of Harbor tasks, as a command: ``python -m verifyit.adapters.harbor_answers aime key answer``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from verifyit.adapters._answers import plain_number, shown
from verifyit.adapters._command import candidate_text, logs_option, reference_text, write_verdict
from verifyit.reward import InvalidTask, Reward, scored

if TYPE_CHECKING:
    from collections.abc import Callable

_DIGITS: Final = re.compile(r"[0-9]{1,3}")
_UNSPACED: Final = re.compile(r"\s+")
_NOT_WORD: Final = re.compile(r"[^\w\s]")


def grade_answer(mode: str, expected: str, candidate: str | None) -> Reward:
    """Grade one answer.

    Args:
        mode: ``aime`` (an integer from 0 to 999), ``gaia`` (a number, a list or a text), ``satbench`` (SAT or
            UNSAT) or ``gpqa-diamond`` (a letter from A to D).
        expected: The right answer.
        candidate: The answer; None if there is none.

    Raises:
        InvalidTask: The mode is unknown, or the expected answer is not one of it.
    """
    read = _READERS.get(mode)
    if read is None:
        raise InvalidTask(f"unknown mode {mode!r}; there are {', '.join(_READERS)}")
    wanted = read(expected)
    if wanted is None:
        raise InvalidTask(f"the expected answer is not one of {mode}")
    if candidate is None or not candidate.strip():
        return scored(0.0, reason="no_output")
    if mode == "gaia":
        return scored(float(_same_gaia(expected, candidate)), extracted=shown(candidate.strip()))
    answer = read(candidate)
    if answer is None:
        return scored(0.0, reason="malformed_answer", extracted=shown(candidate.strip()))
    return scored(float(answer == wanted), extracted=shown(answer))


def grade_files(mode: str, expected_path: Path, candidate_path: Path) -> Reward:
    """Grade an answer file.

    Raises:
        InvalidTask: The mode is unknown, or the expected answer cannot be read or is not one of it.
    """
    expected = reference_text(expected_path)
    try:
        candidate = candidate_text(candidate_path)
    except ValueError as error:
        grade_answer(mode, expected, None)
        return scored(0.0, reason="invalid_answer_file", error=shown(str(error)))
    return grade_answer(mode, expected, candidate)


def main(argv: list[str] | None = None) -> int:
    """Grade a file and write the verdict's files.

    Raises:
        OSError: The verdict's files cannot be written.
    """
    parser = argparse.ArgumentParser(prog="harbor_answers", description="Grade a short answer.")
    parser.add_argument("mode", choices=list(_READERS))
    parser.add_argument("expected", type=Path)
    parser.add_argument("candidate", type=Path)
    logs_option(parser)
    options = parser.parse_args(argv)
    return write_verdict(
        options.logs_dir, lambda: grade_files(options.mode, options.expected, options.candidate)
    )


def _read_aime(text: str) -> str | None:
    stripped = text.strip()
    return str(int(stripped)) if _DIGITS.fullmatch(stripped) else None


def _read_satbench(text: str) -> str | None:
    word = text.strip().upper()
    return word if word in ("SAT", "UNSAT") else None


def _read_gpqa(text: str) -> str | None:
    letter = text.strip().strip("().").upper()
    return letter if len(letter) == 1 and letter in "ABCD" else None


def _read_gaia(text: str) -> str | None:
    return text.strip() or None


_READERS: Final[dict[str, Callable[[str], str | None]]] = {
    "aime": _read_aime,
    "gaia": _read_gaia,
    "satbench": _read_satbench,
    "gpqa-diamond": _read_gpqa,
}


def _same_gaia(expected: str, candidate: str) -> bool:
    number = _gaia_number(expected)
    if number is not None:
        return _gaia_number(candidate) == number
    if "," in expected or ";" in expected:
        wanted, got = re.split("[,;]", expected), re.split("[,;]", candidate)
        return len(wanted) == len(got) and all(map(_same_gaia_item, wanted, got))
    return _gaia_text(candidate) == _gaia_text(expected)


def _same_gaia_item(expected: str, candidate: str) -> bool:
    number = _gaia_number(expected)
    if number is not None:
        return _gaia_number(candidate) == number
    # In a list, marks inside an item are part of it.
    return _UNSPACED.sub("", candidate).lower() == _UNSPACED.sub("", expected).lower()


def _gaia_number(text: str) -> float | None:
    return plain_number(text.replace("$", "").replace("%", "").replace(",", ""))


def _gaia_text(text: str) -> str:
    return _UNSPACED.sub("", _NOT_WORD.sub("", text)).lower()


if __name__ == "__main__":
    raise SystemExit(main())

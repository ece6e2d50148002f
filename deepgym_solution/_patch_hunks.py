"""Where the hunks of one file go, and what the file is afterwards."""

from dataclasses import dataclass

from deepgym_solution._patch_syntax import FilePatch, Hunk, Line
from deepgym_solution.errors import PatchError

# Comparisons of lines in one file while shifted hunks are looked for. A hundred hunks in a file of a hundred
# thousand lines need a tenth; crafted files of equal lines would need more than there is time for.
_MAX_COMPARISONS = 100_000_000

# What looking at one more place costs besides its lines, in comparisons.
_STEP = 50


@dataclass(frozen=True)
class _Edit:
    """The lines from begin to end give way to others."""

    begin: int
    end: int
    lines: tuple[Line, ...]


def apply_hunks(text: str, patch: FilePatch) -> str:
    """The text after the hunks.

    Raises:
        PatchError: A hunk fits nowhere, or in more than one place.
    """
    lines = _split(text)
    if not patch.has_crlf_headers:
        # First with every line end as it is: a patch may be there to change them.
        try:
            return "".join(_rewritten(lines, _Placer(lines, patch, exact=True).edits(), ""))
        except PatchError:
            if _has_same_line_ends(lines, patch):
                raise
    edits = _Placer(lines, patch, exact=False).edits()
    crlf = sum(line.endswith("\r\n") for line in lines)
    return "".join(_rewritten(lines, edits, "\r\n" if crlf * 2 > len(lines) else "\n"))


def _has_same_line_ends(lines: list[str], patch: FilePatch) -> bool:
    """Whether forgiving line ends cannot make a difference."""
    texts = [line.text for hunk in patch.hunks for reading in hunk.readings for line in reading]
    return all(line.endswith("\n") and not line.endswith("\r\n") for line in (*lines, *texts))


class _Placer:
    """Finds the place of each hunk of one file."""

    def __init__(self, lines: list[str], patch: FilePatch, *, exact: bool) -> None:
        self._patch = patch
        self._exact = exact
        # Lines as numbers, so that long equal lines are compared once.
        self._numbers: dict[str, int] = {}
        self._file = [self._numbers.setdefault(self._key(line), len(self._numbers)) for line in lines]
        self._comparisons_left = _MAX_COMPARISONS

    def edits(self) -> list[_Edit]:
        """One edit a hunk, in order and without overlap."""
        hunks = self._patch.hunks
        # A hunk that has to be looked for lies before the next one that is where its header says.
        in_place: list[bool] = []
        begin = 0
        for hunk in hunks:
            olds = [self._old(reading) for reading in hunk.readings]
            fits = [
                old for old in olds if hunk.start >= begin and self._is_at(old, hunk.start, len(self._file))
            ]
            in_place.append(bool(fits))
            begin = hunk.start + len(fits[0]) if fits else begin
        limits: list[int] = []
        limit = len(self._file)
        for hunk, is_in_place in zip(reversed(hunks), reversed(in_place), strict=True):
            limits.append(limit)
            limit = hunk.start if is_in_place else limit
        found: list[_Edit] = []
        begin = 0
        for hunk, end in zip(hunks, reversed(limits), strict=True):
            edit = self._place(hunk, begin, end)
            found.append(edit)
            begin = edit.end
        return found

    def _place(self, hunk: Hunk, begin: int, end: int) -> _Edit:
        edits: list[_Edit] = []
        for reading in hunk.readings:
            if (edit := self._find(hunk, reading, begin, end)) is not None:
                if hunk.first_reading_wins:
                    return edit
                edits.append(edit)
        if not edits:
            raise self._error(hunk, "does not fit: its old lines are not in the file")
        if len({self._essence(edit) for edit in edits}) > 1:
            raise self._error(hunk, "has more lines than its header says, and fits with and without them")
        return edits[0]

    def _find(self, hunk: Hunk, reading: tuple[Line, ...], begin: int, end: int) -> _Edit | None:
        old = self._old(reading)
        start = hunk.start if self._file else 0
        if start >= begin and self._is_at(old, start, end):
            return _Edit(start, start + len(old), reading)
        places = self._places(hunk, old, begin, end) if old else []
        if len(places) > 1:
            raise self._error(hunk, "fits in more than one place, and none is where its header says")
        return _Edit(places[0], places[0] + len(old), reading) if places else None

    def _places(self, hunk: Hunk, old: list[int], begin: int, end: int) -> list[int]:
        """Up to two places where the old lines are."""
        places: list[int] = []
        last = end - len(old)
        at = begin
        while at <= last and len(places) < 2:
            try:
                found = self._file.index(old[0], at, last + 1)
            except ValueError:
                found = last + 1
            self._comparisons_left -= found - at + len(old) + _STEP
            if self._comparisons_left < 0:
                raise self._error(hunk, "is too far from where its header says to be looked for")
            if found <= last and self._file[found : found + len(old)] == old:
                places.append(found)
            at = found + 1
        return places

    def _is_at(self, old: list[int], at: int, end: int) -> bool:
        return at + len(old) <= end and self._file[at : at + len(old)] == old

    def _old(self, reading: tuple[Line, ...]) -> list[int]:
        return [self._numbers.get(self._key(line.text), -1) for line in reading if line.sign != "+"]

    def _key(self, line: str) -> str:
        return line if self._exact else line.rstrip("\r\n")

    def _essence(self, edit: _Edit) -> tuple[int, int, tuple[str, ...]]:
        """What an edit comes to: without the context around it."""
        lines = edit.lines
        first = next((index for index, line in enumerate(lines) if line.sign != " "), len(lines))
        last = next((index for index in reversed(range(len(lines))) if lines[index].sign != " "), first - 1)
        core = lines[first : last + 1]
        begin = edit.begin + first
        removed = sum(line.sign != "+" for line in core)
        return begin, begin + removed, tuple(line.text for line in core if line.sign != "-")

    def _error(self, hunk: Hunk, what: str) -> PatchError:
        path = self._patch.old
        return PatchError(f"hunk {hunk.number} of {path} {what}", file=path, hunk=hunk.number)


def _rewritten(lines: list[str], edits: list[_Edit], line_end: str) -> list[str]:
    """The lines after the edits.

    Args:
        lines: The file.
        edits: In order and without overlap.
        line_end: What added lines end with, or "" to take them as the patch has them.
    """
    after: list[str] = []
    at = 0
    for edit in edits:
        after += lines[at : edit.begin]
        at = edit.begin
        for line in edit.lines:
            if line.sign == "+":
                has_end = line.text.endswith("\n")
                after.append(line.text.rstrip("\r\n") + line_end * has_end if line_end else line.text)
            else:
                if line.sign == " ":
                    after.append(lines[at])
                at += 1
    after += lines[at:]
    # Only the last line may lack its end: a line that was the last one may not be any more.
    return [line if line.endswith("\n") else line + (line_end or "\n") for line in after[:-1]] + after[-1:]


def _split(text: str) -> list[str]:
    """The lines with their ends; only a newline ends a line, as in git."""
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]

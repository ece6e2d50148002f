"""Unified diffs as data: which files a patch names and which lines its hunks change.

Answers carry diffs inside prose and code fences. Lines that are neither a header nor inside a hunk are
skipped; a header, once seen, must be whole. Nothing here knows the contents of the files.
"""

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Literal

from deepgym_solution._patch_paths import checked_path, git_names, header_name, unquoted, without_prefixes
from deepgym_solution.errors import PatchError

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_EXTENDED = re.compile(
    r"(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to"
    r"|similarity index|dissimilarity index|index) (.*)"
)
# An answer that was stripped has lost the blank context lines at its end; diffs show three at most.
_MAX_STRIPPED_LINES = 3

# More than any answer changes. Each path is compared with every protected one.
MAX_FILES = 5_000

Kind = Literal["modify", "create", "delete", "rename", "copy"]
MOVES: tuple[Literal["rename", "copy"], ...] = ("rename", "copy")


@dataclass(frozen=True)
class Line:
    """One line of a hunk: " ", "-" or "+", and its text with the line end."""

    sign: str
    text: str


@dataclass(frozen=True)
class Hunk:
    """One change at one place.

    Attributes:
        number: Which hunk of its file, from 1.
        start: The index of its first old line in the file, if its header is right.
        readings: Its lines; two ways to read them where the header's counts leave lines over.
        first_reading_wins: Whether the second reading is only for when the first does not fit; else both
            must come to the same if both fit.
    """

    number: int
    start: int
    readings: tuple[tuple[Line, ...], ...]
    first_reading_wins: bool

    @property
    def only_adds(self) -> bool:
        """Whether it needs nothing to be there."""
        return all(line.sign == "+" for reading in self.readings for line in reading)


@dataclass(frozen=True)
class FilePatch:
    """What a patch does to one file.

    Attributes:
        kind: What happens to the file.
        old: Its path before; the same as new but for renames and copies.
        new: Its path after.
        hunks: The changes in it.
        has_crlf_headers: The patch itself was carried with CRLF line ends, so that they say nothing
            about the file.
    """

    kind: Kind
    old: str
    new: str
    hunks: tuple[Hunk, ...]
    has_crlf_headers: bool


def parse_patch(diff: str, known: Container[str]) -> list[FilePatch]:
    """The changes that a text describes, in order.

    Args:
        diff: A unified diff, with or without git's headers, possibly among other text.
        known: The paths that exist; they tell a folder named `a` from git's prefix `a/`.

    Raises:
        PatchError: A header or a hunk is malformed, or the patch does what none may: paths outside the
            project or inside `.git`, symlinks, submodules, binary data.
    """
    return _Parser(diff, known).parse()


class _Section:
    """One file's headers and hunks while they are read."""

    def __init__(
        self, names: tuple[str, str] | None, known: Container[str], *, is_git: bool, has_crlf: bool
    ) -> None:
        self.git_names = names
        self.known = known
        self.is_git = is_git
        self.has_crlf = has_crlf
        self.header_names: tuple[str, str] | None = None
        self.extended: dict[str, str] = {}
        self.hunks: list[Hunk] = []

    @property
    def label(self) -> str:
        """A name for messages, before the names are checked."""
        names = self.header_names or self.git_names
        if names is None:
            return "an unnamed file"
        old, new = without_prefixes(names, self.known)
        return (old if new == "/dev/null" else new)[:200]

    def finish(self) -> FilePatch:
        for key in ("old mode", "new mode", "deleted file mode", "new file mode", "index"):
            self._check_mode(key)
        kind, old, new = self._names()
        old, new = checked_path(old), checked_path(new)
        if kind == "modify":
            if not self.hunks and "new mode" not in self.extended:
                raise PatchError(f"{self.label} has headers and no hunks", file=self.label)
            if old not in self.known and len(self.hunks) == 1 and self.hunks[0].only_adds:
                kind = "create"  # some write the new file's own name where /dev/null belongs
        return FilePatch(kind, old, new, tuple(self.hunks), self.has_crlf)

    def _check_mode(self, key: str) -> None:
        value = self.extended.get(key, "")
        mode = value.partition(" ")[2] if key == "index" else value
        if mode == "120000":
            raise PatchError(f"{self.label} would be a symlink", file=self.label)
        if mode == "160000":
            raise PatchError(f"{self.label} would be a submodule", file=self.label)
        if mode and not re.fullmatch(r"100[0-7]{3}", mode):
            raise PatchError(f"{self.label} has the unknown mode {mode[:20]!r}", file=self.label)

    def _names(self) -> tuple[Kind, str, str]:
        """What happens to which path, and what it is called afterwards."""
        headers = without_prefixes(self.header_names, self.known) if self.header_names else None
        git = without_prefixes(self.git_names, self.known) if self.git_names else None
        for kind in MOVES:
            if f"{kind} from" in self.extended or f"{kind} to" in self.extended:
                old, new = self.extended.get(f"{kind} from", ""), self.extended.get(f"{kind} to", "")
                self._check_agreement((old, new), headers)
                return kind, old, new
        if (names := headers or git) is None:
            raise PatchError("a `diff --git` header names no file that can be made out")
        old, new = names
        if old == new == "/dev/null":
            raise PatchError("a header names /dev/null twice")
        if "new file mode" in self.extended or old == "/dev/null":
            found: tuple[Kind, str, str] = ("create", new, new)
        elif "deleted file mode" in self.extended or new == "/dev/null":
            found = ("delete", old, old)
        elif old == new or not self.is_git:
            name = old if old == new else self._one_of(old, new)
            found = ("modify", name, name)
        else:
            raise self._disagreement()
        if self.is_git:
            self._check_agreement(found[1:], git)
        return found

    def _check_agreement(self, names: tuple[str, str], others: tuple[str, str] | None) -> None:
        if others is not None and any(
            other not in (name, "/dev/null") for name, other in zip(names, others, strict=True)
        ):
            raise self._disagreement()

    def _disagreement(self) -> PatchError:
        return PatchError(f"the headers of {self.label} name different files", file=self.label)

    def _one_of(self, old: str, new: str) -> str:
        """The file meant by two names without git's headers, such as `x.py.orig` and `x.py`."""
        if (old in self.known) == (new in self.known):
            raise self._disagreement()
        return old if old in self.known else new


class _Parser:
    """Walks over the lines of the text once."""

    def __init__(self, diff: str, known: Container[str]) -> None:
        self.lines = diff.split("\n")
        self.known = known
        self.at = 0
        self.section: _Section | None = None
        self.found: list[FilePatch] = []

    def parse(self) -> list[FilePatch]:
        while self.at < len(self.lines):
            self._take_line(self.lines[self.at].removesuffix("\r"))
        self._finish_section()
        return self.found

    def _take_line(self, line: str) -> None:
        if line.startswith("diff --git "):
            self._take_git_header(line)
        elif self._is_file_header(self.at):
            self._take_file_header()
        elif line.startswith("@@"):
            self._take_hunk(line)
        elif line.startswith(("diff --cc ", "diff --combined ")):
            raise PatchError("a combined diff of a merge cannot be applied: give a plain one")
        elif line == "GIT binary patch" or (line.startswith("Binary files ") and line.endswith(" differ")):
            label = self.section.label if self.section else line[:200]
            raise PatchError(f"{label}: binary patches are refused", file=label)
        else:
            self.at += 1

    def _finish_section(self) -> None:
        if self.section is not None:
            if len(self.found) == MAX_FILES:
                raise PatchError(f"the patch touches more than {MAX_FILES:,} files")
            self.found.append(self.section.finish())
            self.section = None

    def _take_git_header(self, line: str) -> None:
        self._finish_section()
        has_crlf = self.lines[self.at].endswith("\r")
        names = git_names(line[len("diff --git ") :])
        self.section = section = _Section(names, self.known, is_git=True, has_crlf=has_crlf)
        self.at += 1
        while self.at < len(self.lines):
            match = _EXTENDED.fullmatch(self.lines[self.at].removesuffix("\r"))
            if match is None:
                break
            key, value = match.groups()
            if key in section.extended:
                raise PatchError(f"{section.label} has two headers {key!r}", file=section.label)
            section.extended[key] = unquoted(value) if key.endswith((" from", " to")) else value.strip()
            self.at += 1
        if self._is_file_header(self.at):
            section.header_names = self._take_two_names()
        elif self.at < len(self.lines) and self.lines[self.at].startswith(("--- ", "+++ ")):
            raise PatchError(f"{section.label} has only one of the headers --- and +++", file=section.label)

    def _is_file_header(self, at: int) -> bool:
        return (
            at + 1 < len(self.lines)
            and self.lines[at].startswith("--- ")
            and self.lines[at + 1].startswith("+++ ")
        )

    def _take_file_header(self) -> None:
        self._finish_section()
        self.section = _Section(None, self.known, is_git=False, has_crlf=self.lines[self.at].endswith("\r"))
        self.section.header_names = self._take_two_names()

    def _take_two_names(self) -> tuple[str, str]:
        old, new = (header_name(line) for line in self.lines[self.at : self.at + 2])
        self.at += 2
        return old, new

    def _take_hunk(self, line: str) -> None:
        section = self.section
        match = _HUNK.match(line)
        if section is None:
            if match is None:
                self.at += 1  # prose, such as a mention
                return
            raise PatchError("a hunk comes before any header that names its file", hunk=1)
        number = len(section.hunks) + 1
        if match is None:
            raise PatchError(
                f"hunk {number} of {section.label} has a malformed header: {line[:80]!r}",
                file=section.label,
                hunk=number,
            )
        old_start, old_count, _, new_count = (1 if group is None else int(group) for group in match.groups())
        self.at += 1
        readings, first_wins = self._readings(old_count, new_count)
        if not readings:
            raise PatchError(
                f"hunk {number} of {section.label} has not the lines that its header promises",
                file=section.label,
                hunk=number,
            )
        start = old_start if old_count == 0 else max(old_start - 1, 0)
        section.hunks.append(Hunk(number, start, readings, first_wins))

    def _readings(self, old_count: int, new_count: int) -> tuple[tuple[tuple[Line, ...], ...], bool]:
        """The ways to read the hunk's lines that begin here, and whether the first one wins.

        There is none when the hunk is empty or cut off.
        """
        begin = self.at
        counted = self._end_by_counts(begin, old_count, new_count)
        shown = self._end_by_form(begin)
        if counted is None:
            self.at = shown
            lines = self._without_counts(self._lines(begin, shown), old_count, new_count)
            return ((lines,) if lines else ()), True
        self.at = max(counted, shown)
        lines = self._lines(begin, counted)
        if shown <= counted:
            return (lines,), True
        longer = self._lines(begin, shown)
        if self.lines[counted] in ("", "\r"):
            return (lines, longer), False  # is what follows the blank line prose or part of the hunk?
        return (longer, lines), True  # the counts are wrong, unless the lines that follow fit nowhere

    def _without_counts(
        self, lines: tuple[Line, ...], old_count: int, new_count: int
    ) -> tuple[Line, ...] | None:
        """The lines of a hunk with a wrong header, or None when it seems to be cut off.

        An answer that ended too early must not be applied in part.
        """
        if not lines or self._is_hunk_or_header(self._after_blanks(self.at)):
            return lines
        old_missing = old_count - sum(line.sign != "+" for line in lines)
        new_missing = new_count - sum(line.sign != "-" for line in lines)
        if 0 < old_missing == new_missing <= _MAX_STRIPPED_LINES:
            return (*lines, *[Line(" ", "\n")] * old_missing)
        return None if old_missing > 0 or new_missing > 0 else lines

    def _end_by_counts(self, at: int, old_count: int, new_count: int) -> int | None:
        """Where the hunk ends if its header is right, or None when the header is wrong."""
        if old_count == new_count == 0:
            return None
        while old_count > 0 or new_count > 0:
            if at >= len(self.lines):
                return None
            sign = _sign(self.lines[at])
            if sign is None:
                return None
            old_count -= sign in " -"
            new_count -= sign in " +"
            if old_count < 0 or new_count < 0 or (at == len(self.lines) - 1 and self.lines[at] == ""):
                return None
            at += 1
        if at < len(self.lines) and self.lines[at].startswith("\\"):
            at += 1
        return at

    def _end_by_form(self, at: int) -> int:
        """Where the hunk ends to the eye, without the blank lines after it."""
        end = at
        while at < len(self.lines):
            line = self.lines[at]
            if _sign(line) is None:
                break
            if line.startswith("--") and (self._is_signature(at) or self._is_next_file(at)):
                break
            at += 1
            if line not in ("", "\r"):
                end = at
        return end

    def _is_next_file(self, at: int) -> bool:
        # Removed and added lines can look like headers, but for the hunk that follows.
        return self._is_file_header(at) and any(
            line.startswith("@@ -") for line in self.lines[at + 2 : at + 3]
        )

    def _is_signature(self, at: int) -> bool:
        """Mailed patches end with `-- ` and the version of git."""
        is_rule = self.lines[at].rstrip() == "--"
        return is_rule and at + 1 < len(self.lines) and re.match(r"\d+\.\d+", self.lines[at + 1]) is not None

    def _after_blanks(self, at: int) -> int:
        while at < len(self.lines) and self.lines[at] in ("", "\r"):
            at += 1
        return at

    def _is_hunk_or_header(self, at: int) -> bool:
        return at < len(self.lines) and (
            self.lines[at].startswith(("@@ -", "diff --git ")) or self._is_file_header(at)
        )

    def _lines(self, begin: int, end: int) -> tuple[Line, ...]:
        found: list[Line] = []
        for line in self.lines[begin:end]:
            sign = _sign(line)
            if sign == "\\":
                if found:
                    found[-1] = Line(found[-1].sign, found[-1].text.removesuffix("\n"))
                continue
            # An empty line is a blank context line whose leading blank was stripped.
            text = line[1:] if line[:1] == sign else line
            found.append(Line(sign or " ", text + "\n"))
        return tuple(found)


def _sign(line: str) -> str | None:
    """What a line of a hunk does, or None when it is no line of a hunk."""
    if line in ("", "\r"):
        return " "
    return line[0] if line[0] in " +-\\" else None

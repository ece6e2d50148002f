"""Killing mutants: which the verifier tells from the reference, which are the same, and which survive."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass
from typing import Any, Literal

from deepgym.qa.attacks.code import TURNS
from deepgym.qa.attacks.suite import apply_turn, literal_value
from deepgym.qa.differential import Comparison, Difference, prepare_comparison
from deepgym.qa.interface import Interface
from deepgym.qa.mutants import Mutant, make_mutants
from deepgym.qa.observation import SEEDS, Call
from deepgym.qa.runs import CHECK_SEED, Runner
from deepgym.qa.subject import Subject
from deepgym.qa.text_mutants import make_text_mutants
from deepgym.qa.writing import as_answer

__all__ = ["Fate", "FateName", "Kills", "kill_mutants", "wilson_interval"]

# Two seeds more than the first: a mutant that one draw of cases lets through is not yet strong.
_SECOND_LOOKS = SEEDS[1:3]
# A near miss is rejected this often by a verifier that looks; else it does not.
_LOOKS_CLOSELY = 2 / 3

FateName = Literal[
    "killed", "survived", "equivalent", "another right answer", "outside the task", "undecided"
]


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one mutant.

    Attributes:
        name: Its fate.
        operator: The kind of mistake in it.
        line: Where it is.
        diff: What is different.
        note: Why it counts so.
        shown_input: An input that tells it from the reference, when one was found.
        expected: What the reference does there.
        got: What the mutant does.
    """

    name: FateName
    operator: str
    line: int
    diff: str
    note: str = ""
    shown_input: str = ""
    expected: str = ""
    got: str = ""


@dataclass(frozen=True, slots=True)
class Kills:
    """The fates of all mutants.

    Attributes:
        fates: One a mutant.
        compared_on: How many inputs told mutants from the reference.
    """

    fates: tuple[Fate, ...]
    compared_on: int = 0

    def count(self, name: FateName) -> int:
        """How many had this fate."""
        return sum(fate.name == name for fate in self.fates)

    @property
    def survivors(self) -> tuple[Fate, ...]:
        """The mutants that are wrong and pass."""
        return tuple(fate for fate in self.fates if fate.name == "survived")

    @property
    def rate(self) -> float | None:
        """The share of wrong mutants that were killed; None without any."""
        decided = self.count("killed") + self.count("survived")
        return self.count("killed") / decided if decided else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% confidence interval of the rate."""
        decided = self.count("killed") + self.count("survived")
        return wilson_interval(self.count("killed"), decided) if decided else None


def wilson_interval(hits: int, total: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's score interval for a share."""
    share = hits / total
    middle = share + z * z / (2 * total)
    spread = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def kill_mutants(runner: Runner, subject: Subject, interface: Interface, *, limit: int) -> Kills:
    """Mutate the reference, run the mutants, and find out about those that pass."""
    assert subject.reference is not None
    if interface.style == "text" or not interface.source:
        mutants = make_text_mutants(subject, limit=limit)
        comparison = None
    else:
        mutants = make_mutants(interface.source, lines=_lines(interface), limit=limit)
        comparison = prepare_comparison(runner, subject, interface)
    examiner = _Examiner(runner, subject, interface, comparison)
    fates = runner.map(examiner.fate, mutants)
    return Kills(tuple(fates), comparison.inputs if comparison else 0)


def _lines(interface: Interface) -> frozenset[int] | None:
    """The lines of a mended module that belong to the functions in which the patch changes something."""
    view = interface.observation.patch
    if interface.style != "patch" or view is None or interface.module is None:
        return None
    before = set(view.before.get(interface.module, "").splitlines())
    lines = interface.source.splitlines()
    starts = [at for at, line in enumerate(lines) if re.match(r"(?:async )?def |class ", line)] + [len(lines)]
    wanted: set[int] = set()
    for start, end in itertools.pairwise(starts):
        if any(line not in before for line in lines[start:end]):
            wanted |= set(range(start + 1, end + 1))
    return frozenset(wanted) if wanted else None


class _Examiner:
    """Finds out what becomes of a mutant."""

    def __init__(
        self, runner: Runner, subject: Subject, interface: Interface, comparison: Comparison | None
    ) -> None:
        self._runner = runner
        self._subject = subject
        self._interface = interface
        self._comparison = comparison

    def fate(self, mutant: Mutant) -> Fate:
        answer = as_answer(self._interface, mutant.source)

        def end(name: FateName, note: str = "", found: Difference | None = None) -> Fate:
            shown = (found.shown_input[:1_000], found.expected, found.got) if found else ("", "", "")
            return Fate(name, mutant.operator, mutant.line, mutant.diff, note, *shown)

        if not self._passes(answer, CHECK_SEED):
            return end("killed")
        if self._comparison is None:
            return self._without_comparison(end, mutant)
        found = self._comparison.difference(answer)
        if found.outcome == "same":
            return end("equivalent", f"no difference on {found.tried} inputs")
        if any(not self._passes(answer, seed) for seed in _SECOND_LOOKS):
            return end("killed", "by the cases of another seed")
        if found.outcome == "unknown":
            return end("undecided", "it could not be compared with the reference")
        if not found.is_observed and self._interface.observation.is_seeded:
            return end(
                "outside the task", "only a made-up input tells it apart, of a kind never drawn", found
            )
        if isinstance(found.item, Call) and found.is_observed:
            seed = self._interface.observation.seed_of.get(found.item, CHECK_SEED)
            if not self._passes(answer, seed):
                return end("killed", "by the cases of another seed", found)
            if self._looks_closely(found.item, seed):
                return end(
                    "another right answer", "the verifier sees this result, rejects near misses of it", found
                )
        return end("survived", "", found)

    def _passes(self, answer: str, seed: int) -> bool:
        result = self._runner.run(answer, seed=seed)
        return result.has_verdict and result.passed and result.score >= 1.0

    def _without_comparison(self, end: Any, mutant: Mutant) -> Fate:
        fate: Fate = end("undecided", "it could not be compared with the reference")
        if mutant.operator.startswith("answer:"):
            fate = end("survived", "the key has one answer, and this is another")
        return fate

    def _looks_closely(self, call: Call, seed: int) -> bool:
        """Whether the verifier rejects answers that miss the reference's result for one input by a little."""
        value = literal_value(call.value or "None")
        misses = [miss for turn in TURNS if repr(miss := apply_turn(turn, value)) != repr(value)]
        answers = [self._missing(call, miss) for miss in misses]
        rejected = sum(not self._passes(answer, seed) for answer in answers)
        return bool(answers) and rejected / len(answers) >= _LOOKS_CLOSELY

    def _missing(self, call: Call, miss: Any) -> str:
        """The reference, but for one input."""
        source = (
            f"{self._interface.source}\n\n_deepgym_right = {call.name}\n\n"
            f"def {call.name}(*args, **kwargs):\n"
            f"    if repr(args) == {call.args!r}:\n        return {miss!r}\n"
            f"    return _deepgym_right(*args, **kwargs)\n"
        )
        return as_answer(self._interface, source)

"""Whether two answers differ: both run on the same inputs, each sealed, by a throwaway verifier."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

from deepgym.models import Environment
from deepgym.qa.inputs import make_up_arguments, make_up_objects
from deepgym.qa.interface import Interface
from deepgym.qa.observation import Call, Objects, Observation, ProgramRun
from deepgym.qa.runs import Runner
from deepgym.qa.subject import Subject

__all__ = ["Comparison", "Difference", "prepare_comparison"]

MAX_OBSERVED = 300
MAX_MADE_UP = 200
# A run of a program costs a process; two of them a comparison.
MAX_PROGRAM_RUNS = 10
_CALL_TIMEOUT_S = 2.0
_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Difference:
    """What a comparison found.

    Attributes:
        outcome: "same", "different" or "unknown".
        item: The first input that tells them apart.
        is_observed: That input was seen in a run of the verifier, so the task speaks of it.
        expected: What the first answer does there.
        got: What the second does.
        tried: How many inputs were tried.
    """

    outcome: Literal["same", "different", "unknown"]
    item: Call | Objects | ProgramRun | None = None
    is_observed: bool = False
    expected: str = ""
    got: str = ""
    tried: int = 0

    @property
    def shown_input(self) -> str:
        """The input as a reader would write it."""
        if isinstance(self.item, Call):
            return f"{self.item.name}{self.item.args}"
        if isinstance(self.item, Objects):
            calls = "; ".join(f"{name}{args}" for name, args in self.item.calls)
            return f"{self.item.name}{self.item.args}; {calls}"
        if isinstance(self.item, ProgramRun):
            return json.dumps({"args": self.item.args, "stdin": self.item.stdin, "files": self.item.files})
        return ""


class Comparison:
    """Compares other answers with the reference, on inputs that are made once."""

    def __init__(self, runner: Runner, env: Environment, items: list[tuple[Any, bool]]) -> None:
        self._runner = runner
        self._env = env
        self._items = items

    @property
    def inputs(self) -> int:
        """How many inputs there are."""
        return len(self._items)

    def difference(self, answer: str) -> Difference:
        """Where an answer does something else than the reference."""
        if not self._items:
            return Difference("unknown")
        result = self._runner.run(answer, env=self._env)
        different = result.metrics.get("different")
        if not result.has_verdict or not isinstance(different, list):
            # An answer that cannot be loaded, or that ends its own run, is different; what it was is not known.
            judged = result.has_verdict and result.error_type in {"solution_error", "solution_timeout"}
            return Difference("different" if judged else "unknown", got=result.details[:300])
        tried = int(result.metrics.get("tried", 0))
        if not different:
            return Difference("same", tried=tried) if tried else Difference("unknown")
        item, is_observed = self._items[different[0]]
        expected, got = result.metrics.get("example") or ("", "")
        return Difference("different", item, is_observed, str(expected), str(got), tried)


def prepare_comparison(runner: Runner, subject: Subject, interface: Interface) -> Comparison | None:
    """A comparison for an environment; None where answers cannot be run apart from its verifier."""
    observation = interface.observation
    assert subject.reference is not None
    if interface.style == "text" or not observation.seen:
        return None
    style = "program" if interface.style == "program" else "code"
    items = list(_items(observation, style))
    if not items:
        return None
    plan: dict[str, Any] = {
        "style": style,
        "timeout": min(_CALL_TIMEOUT_S, subject.environment.case_timeout),
        "inputs": [_encoded(item, observed) for item, observed in items],
    }
    if interface.style == "patch" and observation.patch is not None:
        if observation.patch.entry is None:
            return None
        plan |= {"before": observation.patch.before, "entry": observation.patch.entry}
    comparer = (files("deepgym.qa") / "_judge_side" / "comparer.py").read_text(encoding="utf-8")
    given = subject.environment
    env = given.model_copy(
        update={
            "verifier_code": comparer,
            "verifier_path": None,
            "verifier_mode": "verify_function",
            "support_files": {"first_answer.txt": subject.reference.text},
            "test_cases": plan,
            "timeout": _TIMEOUT_S,
            "pass_threshold": 1.0,
            "seed": 0,
        }
    )
    return Comparison(runner, env, items)


def _items(observation: Observation, style: str) -> Iterator[tuple[Any, bool]]:
    if style == "program":
        runs = [run for run in observation.programs if run.replayable]
        step = max(1, len(runs) // MAX_PROGRAM_RUNS)
        yield from ((run, True) for run in runs[::step][:MAX_PROGRAM_RUNS])
        return
    yield from ((call, True) for call in observation.calls[:MAX_OBSERVED])
    yield from ((item, True) for item in observation.objects[:MAX_OBSERVED])
    names = sorted({(call.name, call.returns) for call in observation.calls})
    for name, returns in names:
        seen = [call.args for call in observation.calls if call.name == name and call.kwargs == "{}"]
        for args in make_up_arguments(seen, MAX_MADE_UP // len(names), stay_within=observation.is_seeded):
            yield Call(name, args, returns=returns), False
    yield from ((item, False) for item in make_up_objects(observation.objects, MAX_MADE_UP // 4))


def _encoded(item: Any, observed: bool) -> dict[str, Any]:
    if isinstance(item, Call):
        fields: dict[str, Any] = {
            "name": item.name,
            "args": item.args,
            "kwargs": item.kwargs,
            "returns": item.returns,
        }
        return {"kind": "call", "observed": observed, **fields}
    if isinstance(item, Objects):
        return {
            "kind": "object",
            "observed": observed,
            "name": item.name,
            "args": item.args,
            "calls": item.calls,
        }
    return {
        "kind": "program",
        "observed": observed,
        "args": item.args,
        "stdin": item.stdin,
        "files": item.files,
        "interpreter": item.interpreter,
        "allow_subprocess": item.allow_subprocess,
    }

"""What a verifier asks of a solution, learnt by running the reference under an eye.

The verifier runs unchanged but for one import, which brings the recorder (`_judge_side/recorder.py`) into its process.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from deepgym._judge.shape import parse_source
from deepgym.models import Environment, RunResult
from deepgym.qa.runs import CHECK_SEED, Runner
from deepgym.qa.subject import Subject
from deepgym.shapes import resolve_environment_shape

__all__ = ["Call", "Objects", "Observation", "PatchView", "ProgramRun", "observe", "recording_environment"]

_MARK = "\x1edeepgym-record "
_RECORDER = "deepgym_recorder"
SEEDS = (CHECK_SEED, 11, 23, 47, 91)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a function, with what the reference did; texts are Python literals."""

    name: str
    args: str
    kwargs: str = "{}"
    returns: str = "value"
    value: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Objects:
    """One object of a class, and the calls of its methods in order."""

    name: str
    args: str
    calls: tuple[tuple[str, str], ...]
    values: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """One run of a program."""

    args: tuple[str, ...]
    stdin: str | None
    files: dict[str, str]
    stdout: str
    after: dict[str, str]
    interpreter: Any = None
    allow_subprocess: bool = False
    replayable: bool = True

    @property
    def outputs(self) -> tuple[str, ...]:
        """The files that it wrote."""
        return tuple(name for name, text in self.after.items() if self.files.get(name) != text)


@dataclass(frozen=True, slots=True)
class PatchView:
    """A project before and after the reference's patch, and the module that is called."""

    before: dict[str, str]
    after: dict[str, str]
    entry: str | None = None

    @property
    def changed(self) -> tuple[str, ...]:
        """The files that the patch changes or creates."""
        return tuple(name for name, text in self.after.items() if self.before.get(name) != text)


@dataclass
class Observation:
    """What was seen over several seeds.

    Attributes:
        calls: Function calls, each once.
        objects: Objects with their calls.
        programs: Runs of the answer as a program.
        patch: The project, where answers are patches.
        is_seeded: Other seeds brought other inputs.
        seed_of: The seed under which a call was first seen.
        first_values: What the reference returned in the first run, as Python literals.
        first_stdouts: What it printed there.
        first_outputs: What it wrote into files there.
    """

    calls: list[Call] = field(default_factory=list)
    objects: list[Objects] = field(default_factory=list)
    programs: list[ProgramRun] = field(default_factory=list)
    patch: PatchView | None = None
    is_seeded: bool = False
    seed_of: dict[Call, int] = field(default_factory=dict)
    first_values: list[str] = field(default_factory=list)
    first_stdouts: list[str] = field(default_factory=list)
    first_outputs: list[str] = field(default_factory=list)

    @property
    def seen(self) -> bool:
        """Whether anything was recorded."""
        return bool(self.calls or self.objects or self.programs or self.patch)


def observe(runner: Runner, subject: Subject, *, seeds: tuple[int, ...] = SEEDS) -> Observation:
    """Run the reference under several seeds and collect what it was asked for."""
    assert subject.reference is not None
    env = recording_environment(subject.environment)
    if env is None:
        return Observation()
    text = subject.reference.text
    seeded = (
        [env.model_copy(update={"seed": seed}) for seed in seeds]
        if subject.environment.seed is None
        else [env]
    )
    results = runner.map(lambda one: runner.run(text, env=one), seeded)
    observation = Observation()
    inputs: list[set[str]] = []
    for seed, result in zip(seeds, results, strict=False):
        records = read_records(result)
        _collect(observation, records)
        for call in observation.calls:
            observation.seed_of.setdefault(call, seed)
        if not inputs:
            _keep_first(observation, records)
        inputs.append(
            {json.dumps([item.get(key) for key in ("name", "args", "stdin", "files")]) for item in records}
        )
    observation.is_seeded = len(inputs) > 1 and any(later != inputs[0] for later in inputs[1:])
    return observation


def recording_environment(env: Environment) -> Environment | None:
    """The environment with the recorder beside its verifier; None where there is no code to record."""
    shape = resolve_environment_shape(env)
    if shape == "spec":
        return None
    source = env.read_verifier()
    text = source if isinstance(source, str) else source.decode("utf-8", "replace")
    recorder = (files("deepgym.qa") / "_judge_side" / "recorder.py").read_text(encoding="utf-8")
    return env.model_copy(
        update={
            "verifier_code": _with_import(text),
            "verifier_path": None,
            "verifier_mode": shape,
            "support_files": {**env.support_files, f"{_RECORDER}.py": recorder},
        }
    )


def read_records(result: RunResult) -> list[dict[str, Any]]:
    """The records in what a verifier wrote to stderr."""
    records = []
    for line in result.stderr.split("\n"):
        if line.startswith(_MARK):
            try:
                records.append(json.loads(line[len(_MARK) :]))
            except ValueError:
                continue  # cut at the limit
    return records


def _with_import(source: str) -> str:
    """The verifier with one more import, on the line of its first statement that may follow it."""
    lines = source.split("\n")
    at = 0
    for node in parse_source(source).body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            at = node.end_lineno or node.lineno
    return "\n".join([*lines[:at], f"import {_RECORDER}", *lines[at:]])


def _collect(observation: Observation, records: list[dict[str, Any]]) -> None:
    known = set(observation.calls)
    made: dict[tuple[int, int], dict[str, Any]] = {}
    entry = None
    for record in records:
        if record["kind"] == "call":
            _collect_call(observation, record, made, known)
        elif record["kind"] == "program":
            observation.programs.append(_program(record))
        elif record["kind"] == "files":
            entry = record["entry"]
        elif record["kind"] == "patch" and observation.patch is None:
            observation.patch = PatchView(record["before"], record["after"])
    if observation.patch is not None and entry is not None:
        observation.patch = PatchView(observation.patch.before, observation.patch.after, entry)
    for one in made.values():
        if one["calls"] or one["whole"]:
            observation.objects.append(
                Objects(one["name"], one["args"], tuple(one["calls"]), tuple(one["values"]))
            )


def _keep_first(observation: Observation, records: list[dict[str, Any]]) -> None:
    observation.first_values = [item["value"] for item in records if item.get("value") is not None]
    observation.first_stdouts = [item["stdout"] for item in records if item["kind"] == "program"]
    observation.first_outputs = [
        text for one in observation.programs for name, text in one.after.items() if name in one.outputs
    ]


def _collect_call(
    observation: Observation,
    record: dict[str, Any],
    made: dict[tuple[int, int], dict[str, Any]],
    known: set[Call],
) -> None:
    session, target = record["session"], record["target"]
    if record.get("handle") is not None and target is None:
        made[session, record["handle"]] = {
            "name": record["name"], "args": record["args"], "calls": [], "values": [], "whole": True,
        }  # fmt: skip
    elif target is not None:
        one = made.get((session, target))
        if one is not None and is_literal(record["args"]):
            one["calls"].append((record["name"], record["args"]))
            one["values"].append(record.get("value"))
    elif is_literal(record["args"]) and is_literal(record["kwargs"]):
        call = Call(
            record["name"],
            record["args"],
            record["kwargs"],
            record["returns"],
            record.get("value"),
            record.get("error"),
        )
        if call not in known:
            known.add(call)
            observation.calls.append(call)


def _program(record: dict[str, Any]) -> ProgramRun:
    return ProgramRun(
        args=tuple(record["args"]),
        stdin=record["stdin"],
        files=record["files"],
        stdout=record["stdout"],
        after=record["after"],
        interpreter=record["interpreter"],
        allow_subprocess=record["allow_subprocess"],
        replayable=record["program"] is None and not record["loopback"],
    )


def is_literal(text: str) -> bool:
    """Whether a text is a Python literal, so that it can be made a value again without running it."""
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return False
    return True

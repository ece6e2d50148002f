"""`deepgym check`: whether an environment is sound. Its files, its verifier's source, and a few runs.

Whether it is also strong, so that no answer but a right one earns much, is what `deepgym.qa.quality` asks.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from deepgym._judge.shape import parse_source
from deepgym.errors import EnvironmentFileError, UsageError, VerifierSyntaxError
from deepgym.models import RunResult
from deepgym.qa.finding import Finding, exit_code
from deepgym.qa.lint import lint_source
from deepgym.qa.runs import Client, Runner, trace_of, verdict_bytes, without_verdict
from deepgym.qa.subject import Subject, Target
from deepgym.shapes import resolve_environment_shape

__all__ = ["CheckReport", "check_subject", "check_target"]

# A word of an answer's own that is sure to be wrong, where even Python cannot run it.
_NONSENSE = "this is no answer"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What `check` found.

    Attributes:
        name: The environment.
        findings: What is wrong with it, in order.
        elapsed_s: How long it took.
    """

    name: str
    findings: tuple[Finding, ...]
    elapsed_s: float = 0.0

    @property
    def exit_code(self) -> int:
        """0 sound, 1 unsound, 2 could not tell."""
        return exit_code(self.findings)

    def to_json(self) -> dict[str, Any]:
        """The report as JSON data."""
        return {
            "name": self.name,
            "sound": {0: True, 1: False}.get(self.exit_code),
            "elapsed_s": round(self.elapsed_s, 3),
            "findings": [finding.to_json() for finding in self.findings],
        }


def check_target(client: Client, target: Target) -> CheckReport:
    """Read an environment and check it; one that cannot be read has a finding that says so."""
    begun = time.monotonic()
    try:
        subject = target.load()
    except EnvironmentFileError as error:
        finding = Finding("DG001", str(error), error.file)
        return CheckReport(target.name, (finding,), time.monotonic() - begun)
    return check_subject(client, subject)


def check_subject(client: Client, subject: Subject) -> CheckReport:
    """Check an environment.

    Returns:
        What was found; nothing, when it is sound.
    """
    begun = time.monotonic()
    findings = list(_check(client, subject))
    return CheckReport(subject.name, tuple(findings), time.monotonic() - begun)


def _check(client: Client, subject: Subject) -> Iterator[Finding]:
    for name in subject.unreadable:
        yield Finding("DG005", f"{name} is not UTF-8 text, or cannot be read", name)
    try:
        shape = resolve_environment_shape(subject.environment)
    except VerifierSyntaxError as error:
        yield Finding("DG003", f"it cannot be parsed: {error.msg}", "verifier.py", error.lineno, error.offset)
        return
    except UsageError as error:
        yield Finding("DG003", str(error), "verifier.py")
        return
    linted = list(_lint(subject, shape))
    yield from linted
    if subject.reference is None:
        if not subject.unreadable:
            yield Finding("DG002", "no answer is known to be right")
        return
    yield from _unnamed(subject, shape)
    runner = Runner(client, subject.environment)
    reference = runner.run(subject.reference.text)
    if not reference.has_verdict:
        rule, trace = without_verdict(reference)
        yield Finding(rule, f"{subject.reference.name} got no verdict", trace=trace)
        return
    if shape != "spec" and not reference.cases and not any(finding.rule == "DG109" for finding in linted):
        yield Finding("DG109", "the verdict of the reference lists no cases", "verifier.py")
    yield from _reference(runner, subject, reference)
    yield from _others(runner, subject)


def _lint(subject: Subject, shape: str) -> Iterator[Finding]:
    if shape == "spec":
        return
    source = subject.environment.read_verifier()
    text = source if isinstance(source, str) else source.decode("utf-8", "replace")
    yield from lint_source(text, "verifier.py", shape=shape)
    for name, content in sorted(subject.environment.support_files.items()):
        # The files of a repository that answers patch are the task's, not the verifier's.
        if name.endswith(".py") and "/" not in name and isinstance(content, str):
            yield from lint_source(content, name, shape="support")


def _unnamed(subject: Subject, shape: str) -> Iterator[Finding]:
    """Names that the reference defines and the verifier asks for, and the task never says."""
    if shape == "spec" or subject.reference is None:
        return
    source = subject.environment.read_verifier()
    verifier = source if isinstance(source, str) else source.decode("utf-8", "replace")
    for name in _public_names(subject.reference.text):
        # As `solution.name` or in quotes: a variable of that name is something else.
        asked = re.search(rf"(?:\.{re.escape(name)}\b|([\"']){re.escape(name)}\1)", verifier)
        if asked and not re.search(rf"\b{re.escape(name)}\b", subject.environment.task):
            yield Finding("DG004", f"{name!r} is asked for, and the task never says that name", "task.md")


def _public_names(source: str) -> list[str]:
    try:
        tree = parse_source(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [node.name for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]


def _reference(runner: Runner, subject: Subject, first: RunResult) -> Iterator[Finding]:
    assert subject.reference is not None
    name = subject.reference.name
    if first.score != 1.0 or not first.passed:
        passed = "passes" if first.passed else "does not pass"
        message = f"{name} scores {first.score:g} and {passed}"
        yield Finding("DG201", message, name, trace=trace_of(first))
    if subject.environment.deterministic:
        second = runner.run(subject.reference.text)
        if verdict_bytes(first) != verdict_bytes(second):
            trace = _changed(first, second)
            yield Finding("DG202", f"two runs of {name} under one seed differ", "verifier.py", trace=trace)


def _changed(first: RunResult, second: RunResult) -> str:
    before, after = first.model_dump(), second.model_dump()
    names = [name for name in before if name not in {"execution_time_ms", "attempts", "sandbox_id"}]
    lines = [
        f"{name}: {before[name]!r:.300} then {after[name]!r:.300}"
        for name in names
        if before[name] != after[name]
    ]
    return "\n".join(lines)


def _others(runner: Runner, subject: Subject) -> Iterator[Finding]:
    """The empty answer, the known ones, and what failing ones are told."""
    empty = runner.run("")
    if empty.score > 0 or empty.passed:
        yield Finding("DG203", f"an empty answer scores {empty.score:g}", trace=trace_of(empty))
    failing = [("an empty answer", empty), ("an answer of nonsense", runner.run(_NONSENSE))]
    for answer in subject.right:
        result = runner.run(answer.text)
        if not result.has_verdict:
            rule, trace = without_verdict(result)
            yield Finding(rule, f"{answer.name} got no verdict", answer.name, trace=trace)
        elif result.score != 1.0 or not result.passed:
            yield Finding(
                "DG205", f"{answer.name} scores {result.score:g}", answer.name, trace=trace_of(result)
            )
    for answer in subject.wrong:
        result = runner.run(answer.text)
        failing.append((answer.name, result))
        if result.passed or result.score == 1.0:
            yield Finding(
                "DG206", f"{answer.name} scores {result.score:g}", answer.name, trace=trace_of(result)
            )
    yield from _unexplained(failing)


def _unexplained(failing: list[tuple[str, RunResult]]) -> Iterator[Finding]:
    seen = set()
    for name, result in failing:
        if not result.has_verdict:
            rule, trace = without_verdict(result)
            if rule not in seen:
                seen.add(rule)
                yield Finding(rule, f"{name} got no verdict", trace=trace)
        elif not result.passed and "DG204" not in seen:
            silent = [case.id for case in result.cases if not case.passed and not _says_why(case)]
            if silent or not (result.cases or result.details.strip()):
                seen.add("DG204")
                what = f"case {silent[0]!r} of {name} says nothing" if silent else f"{name} is told nothing"
                yield Finding("DG204", what, "verifier.py", trace=trace_of(result))


def _says_why(case: Any) -> bool:
    return bool(case.error or (case.expected_summary is not None and case.actual_summary is not None))

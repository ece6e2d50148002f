"""`deepgym qa`: whether an environment is strong. All examinations of one environment, and their report."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from deepgym.errors import UsageError
from deepgym.models import Environment, RunResult
from deepgym.qa.attacks import Attack, build_attacks
from deepgym.qa.attacks.suite import accepted_names
from deepgym.qa.check import check_subject
from deepgym.qa.finding import Finding
from deepgym.qa.floor import examples_answer, floor_answers, table_answer
from deepgym.qa.forms import other_forms
from deepgym.qa.interface import Interface, read_interface
from deepgym.qa.observation import observe
from deepgym.qa.report import AttackRow, FloorRow, FormRow, Options, QaReport
from deepgym.qa.runs import CHECK_SEED, Client, Runner, trace_of
from deepgym.qa.steadiness import Steadiness, measure_steadiness
from deepgym.qa.strength import Kills, kill_mutants
from deepgym.qa.subject import Subject

__all__ = ["examine", "require_mutants"]

# A hanging cheat is judged as well after a second as after a minute.
_SHORT_TIMEOUT_S = 1.0
_SHORT_CASE_TIMEOUT_S = 0.3
_SHORT_MEMORY_MB = 128
# A mutant that loops is killed by the clock; so many times what the reference takes is enough to know.
_PATIENCE = 20
_MIN_MUTANT_TIMEOUT_S = 4.0
_MIN_MUTANT_CASE_TIMEOUT_S = 0.75
# With fewer decided mutants the interval of the rate says next to nothing.
_FEW_MUTANTS = 5
_ANSWER_CHARS = 1_200

Step = Callable[[str], None]


def examine(
    client: Client,
    subject: Subject,
    options: Options,
    *,
    executor: Executor | None = None,
    on_step: Step | None = None,
) -> QaReport:
    """Examine an environment.

    Args:
        client: Runs the answers.
        subject: The environment.
        options: How much to do, and what is enough.
        executor: Runs several at once.
        on_step: Told of each examination as it begins.

    Raises:
        UsageError: Mutants are wanted, and libcst is not installed.
    """
    begun = time.monotonic()
    step = on_step or _tell_nobody
    step("soundness")
    check = check_subject(client, subject)
    report = QaReport(subject.name, findings=list(check.findings), style="unknown")
    if check.exit_code == 0 or not _is_hopeless(report.findings):
        _Examination(Runner(client, subject.environment, executor), subject, options, report, step).run()
    report.elapsed_s = time.monotonic() - begun
    return report


def _tell_nobody(step: str) -> None:
    del step


def _is_hopeless(findings: list[Finding]) -> bool:
    """Whether nothing further could be learnt: it does not load, or its reference is not right."""
    return any(finding.rule in {"DG001", "DG002", "DG003", "DG201", "DG207", "DG208"} for finding in findings)


class _Examination:
    """The steps, in order; each adds rows and findings to the report."""

    def __init__(
        self, runner: Runner, subject: Subject, options: Options, report: QaReport, step: Step
    ) -> None:
        self._runner = runner
        self._subject = subject
        self._options = options
        self._report = report
        self._step = step

    def run(self) -> None:
        self._step("what the verifier asks for")
        observation = observe(self._runner, self._subject)
        interface = read_interface(self._subject, observation)
        self._report.style = interface.style
        self._report.is_seeded = observation.is_seeded
        examinations = {
            "floor": self._floor,
            "cheats": self._attacks,
            "mutants": self._mutants,
            "forms": self._forms,
            "steadiness": self._steadiness,
        }
        for name, examination in examinations.items():
            if name in self._options.parts:
                self._step(name)
                examination(interface)

    def _add(self, rule: str, message: str, trace: str = "") -> None:
        self._report.findings.append(Finding(rule, message, trace=trace))

    def _floor(self, interface: Interface) -> None:
        answers = floor_answers(interface)
        known = {answer.text.strip() for answer in (self._subject.reference, *self._subject.right) if answer}
        answers = [
            answer for answer in answers if interface.style != "text" or answer.text.strip() not in known
        ]
        # Under another seed than the one whose results make the majority: it may know the task, not the cases.
        results = self._runner.run_all([answer.text for answer in answers], seed=CHECK_SEED + 1)
        rows = [
            FloorRow(answer.name, result.score, result.has_verdict)
            for answer, result in zip(answers, results, strict=True)
        ]
        self._report.floor = sorted(rows, key=lambda row: -row.score)
        for answer, result in zip(answers, results, strict=True):
            if not result.has_verdict:
                self._add("DG309", f"{answer.name}: {result.error_type}", trace_of(result))
        over = [row for row in self._report.floor if row.score > self._subject.max_floor]
        if over:
            names = "; ".join(f"{row.name}: {row.score:.2f}" for row in over[:5])
            self._add("DG302", f"{len(over)} earn more than {self._subject.max_floor:g}: {names}")
        self._tables(interface)

    def _tables(self, interface: Interface) -> None:
        """Answers that are tables: of what the task shows, and of what a first run asked for."""
        if interface.style not in {"code", "patch"}:
            return
        shown = examples_answer(interface)
        if shown is not None:
            result = self._runner.run(shown, seed=CHECK_SEED + 1)
            self._report.floor.append(
                FloorRow("a table of the task's examples", result.score, result.has_verdict)
            )
            if result.score > self._subject.max_floor:
                self._add(
                    "DG308",
                    f"a table of the task's own examples earns {result.score:.2f}",
                    _shown(shown, result),
                )
        learnt = table_answer(interface) if not interface.observation.is_seeded else None
        if learnt is not None:
            result = self._runner.run(learnt, seed=CHECK_SEED + 1)
            if result.score > self._subject.max_floor:
                self._add("DG307", f"a table of the results of an earlier run earns {result.score:.2f}")

    def _attacks(self, interface: Interface) -> None:
        attacks = build_attacks(interface, self._subject)
        results = self._runner.map(self._try, attacks)
        # Which of several answers in a text counts is the declared rule of a spec's mode.
        by_mode = {"extra_output"} if interface.style == "text" else set()
        accepted = accepted_names(self._subject.accepts | by_mode)
        for attack, result in zip(attacks, results, strict=True):
            stopped = self._is_stopped(attack, result) or attack.name in accepted
            row = AttackRow(
                attack.name, attack.row, attack.title, result.score, stopped, attack.turns_a_right_answer
            )
            self._report.attacks.append(row)
            if not result.has_verdict:
                self._add(
                    "DG309",
                    f"{attack.name} {attack.title}: {result.error_type}",
                    _shown(attack.answer, result),
                )
            elif not stopped:
                rule = "DG310" if attack.turns_a_right_answer else "DG301"
                message = f"{attack.name}: {attack.title}, and scores {result.score:.2f}"
                self._add(rule, message, _shown(attack.answer, result))

    def _is_stopped(self, attack: Attack, result: RunResult) -> bool:
        if attack.turns_a_right_answer:
            # It holds right values where the turn changes nothing, so a part of the score is its due.
            return not result.passed and result.score < 1.0
        return result.has_verdict and not result.passed and result.score <= self._subject.max_floor

    def _try(self, attack: Attack) -> RunResult:
        if not attack.hangs:
            return self._runner.run(attack.answer)
        result = self._runner.run(attack.answer, env=self._short())
        # Too short for the verifier itself: then it gets the time that it asks for.
        return result if result.has_verdict else self._runner.run(attack.answer)

    def _short(self) -> Environment:
        env = self._subject.environment
        changes: dict[str, Any] = {
            "timeout": min(env.timeout, _SHORT_TIMEOUT_S),
            "case_timeout": min(env.case_timeout, _SHORT_CASE_TIMEOUT_S),
            "memory_mb": min(env.memory_mb, _SHORT_MEMORY_MB),
        }
        return env.model_copy(update=changes if env.seed is not None else {**changes, "seed": CHECK_SEED})

    def _mutants(self, interface: Interface) -> None:
        assert self._subject.reference is not None
        usual_s = self._runner.run(self._subject.reference.text).execution_time_ms / 1000
        env = self._subject.environment
        hurried = env.model_copy(
            update={
                "timeout": min(env.timeout, max(_MIN_MUTANT_TIMEOUT_S, usual_s * _PATIENCE)),
                "case_timeout": min(env.case_timeout, max(_MIN_MUTANT_CASE_TIMEOUT_S, usual_s * 2)),
            }
        )
        kills = kill_mutants(
            self._runner.with_environment(hurried), self._subject, interface, limit=self._options.max_mutants
        )
        self._report.kills = kills
        rate = kills.rate
        if rate is not None and rate < self._options.min_kill_rate:
            self._add("DG303", f"{len(kills.survivors)} of {_decided(kills)} survive", _survivors(kills))
        # A text with one answer has few mutants, and those say enough.
        few = 1 if interface.style == "text" else _FEW_MUTANTS
        if _decided(kills) < few or kills.count("undecided") > _decided(kills):
            counts = f"{_decided(kills)} could be decided, {kills.count('undecided')} could not"
            self._add("DG311", f"of {len(kills.fates)} mutants {counts}")

    def _forms(self, interface: Interface) -> None:
        forms = other_forms(interface, self._subject)
        results = self._runner.run_all([form.answer for form in forms])
        for form, result in zip(forms, results, strict=True):
            accepted = result.passed and result.score == 1.0
            self._report.forms.append(FormRow(form.name, accepted, result.score))
            if not accepted:
                self._add("DG304", f"{form.name}: scores {result.score:.2f}", _shown(form.answer, result))

    def _steadiness(self, interface: Interface) -> None:
        del interface  # the reference alone is run
        found: Steadiness = measure_steadiness(self._runner, self._subject)
        self._report.steadiness = found
        if found.failed:
            seed, detail = found.failed[0]
            message = (
                f"the reference failed in {len(found.failed)} of {found.runs} runs, such as with seed {seed}"
            )
            self._add("DG305", message, detail)
        elif found.changed:
            self._add("DG305", f"{found.changed} runs under one seed and under load had another verdict")
        if not found.has_margin:
            self._add("DG306", "the reference fails with a third of the time", found.margin_detail)
        if found.unjudged:
            self._add("DG207", f"{found.unjudged} runs under load had no verdict")


def _decided(kills: Kills) -> int:
    return kills.count("killed") + kills.count("survived")


def _survivors(kills: Kills) -> str:
    parts = []
    for fate in kills.survivors[:5]:
        changes = [
            line
            for line in fate.diff.split("\n")
            if line[:1] in {"+", "-"} and line[:3] not in {"+++", "---"}
        ]
        told = (
            f"{fate.shown_input}: {fate.expected}, the mutant {fate.got}" if fate.shown_input else fate.note
        )
        parts.append("\n".join([f"line {fate.line}, {fate.operator}:", *changes, told]))
    return "\n".join(parts)


def _shown(answer: str, result: RunResult) -> str:
    text = answer if len(answer) <= _ANSWER_CHARS else answer[:_ANSWER_CHARS] + "\n..."
    return f"{trace_of(result)}\n--- the answer ---\n{text}"


def require_mutants() -> None:
    """Say at once that libcst is missing, and not after a minute of work.

    Raises:
        UsageError: It is.
    """
    try:
        import libcst  # noqa: F401, PLC0415 -- an extra
    except ImportError:
        raise UsageError("mutants need libcst: pip install 'deepgym[qa]'") from None

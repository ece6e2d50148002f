"""The whole examination: look at the machine, attempt every violation, and say what would make the wall better."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from deepgym.backends.local.hosts import Hosts
from deepgym.client import DeepGym
from deepgym.doctor.bait import Bait
from deepgym.doctor.observation import PROOFS, Finding, Observation, conclude, went_through
from deepgym.doctor.probes import Probe, look, probes_of
from deepgym.doctor.remedies import Remedy, remedies_for
from deepgym.doctor.trial import Trial, try_bare, try_walled
from deepgym.doctor.violation import Violation
from deepgym.doctor.violations import HONEST, VIOLATIONS
from deepgym_solution._process import HostError

__all__ = ["MIN_ATTEMPTS", "Report", "examine"]

# With fewer attempts judged the doctor does not call a wall sound.
MIN_ATTEMPTS = 40

_NO_TRIAL = Observation("unjudged", "it was not attempted")


@dataclass(frozen=True, slots=True)
class Report:
    """What the doctor found.

    Attributes:
        grade: The isolation of runs on this machine; None when no run came to a result.
        way: How they are sealed: "nested", "pool" or "plain"; None when no host can be started.
        detail: That way in words, or why there is none.
        probes: What the machine offers.
        findings: What became of each violation.
        remedies: What would make the wall better, the most useful first.
        problem: Why runs came to no result, if some did not.
        elapsed_s: How long it took.
    """

    grade: str | None
    way: str | None
    detail: str
    probes: tuple[Probe, ...]
    findings: tuple[Finding, ...]
    remedies: tuple[Remedy, ...]
    problem: str | None
    elapsed_s: float

    @property
    def counts(self) -> dict[str, int]:
        """How many violations had each outcome."""
        found = Counter(finding.outcome for finding in self.findings)
        return {
            "stopped": found["stopped"],
            "went_through": found["went through"],
            "unknown": found["unknown"],
            "left_out": found["left out"],
        }

    @property
    def proven(self) -> int:
        """How many of those that were stopped are known to go through where nothing stops them."""
        return sum(item.outcome == "stopped" and item.control in PROOFS for item in self.findings)

    @property
    def exit_code(self) -> int:
        """0 when all were stopped, 1 when some went through, 2 when that cannot be told."""
        counts = self.counts
        if counts["went_through"]:
            return 1
        return 2 if counts["unknown"] or counts["stopped"] < MIN_ATTEMPTS else 0

    def as_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "grade": self.grade,
            "way": self.way,
            "detail": self.detail,
            "exit_code": self.exit_code,
            "counts": self.counts,
            "proven": self.proven,
            "problem": self.problem,
            "elapsed_s": round(self.elapsed_s, 2),
            "probes": [{"name": item.name, "value": item.value, "good": item.good} for item in self.probes],
            "violations": [
                {
                    "name": item.violation.name,
                    "kind": item.violation.kind,
                    "what": item.violation.what,
                    "by": item.violation.by,
                    "outcome": item.outcome.replace(" ", "_"),
                    "how": item.how,
                    "control": item.control,
                }
                for item in self.findings
            ],
            "remedies": [
                {"command": item.command, "effect": item.effect, "raises_to": item.raises_to}
                for item in self.remedies
            ],
        }


def examine(violations: tuple[Violation, ...] = VIOLATIONS) -> Report:
    """Examine this machine's local wall.

    Args:
        violations: What to attempt.
    """
    begun = time.monotonic()
    machine = look()
    way, detail = _way()
    if way is None:
        findings, trial = _nothing_tried(violations, detail), Trial({}, None, detail, detail)
    else:
        findings, trial = _attempt_all(violations)
    remedies = remedies_for(machine, grade=trial.isolation, way=way, variables=os.environ)
    return Report(
        grade=trial.isolation,
        way=way,
        detail=detail,
        probes=tuple(probes_of(machine, way=way, detail=detail)),
        findings=tuple(findings),
        remedies=tuple(remedies),
        problem=trial.problem,
        elapsed_s=time.monotonic() - begun,
    )


def _way() -> tuple[str | None, str]:
    """How this machine seals a solution, which only starting the hosts tells."""
    if sys.platform != "linux":
        return None, f"the local wall needs Linux, and this is {sys.platform}"
    hosts = Hosts()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the report says it
            way = hosts.way
    except (HostError, OSError) as exc:
        return None, f"no run can happen here: {exc}"
    finally:
        hosts.close()
    return way.kind, way.detail


def _nothing_tried(violations: tuple[Violation, ...], why: str) -> list[Finding]:
    return [Finding(row, "unknown", why, "not tried") for row in violations]


def _attempt_all(violations: tuple[Violation, ...]) -> tuple[list[Finding], Trial]:
    rows = (*violations, HONEST)
    with Bait(rows, is_control=True) as there, Bait(rows, is_control=False) as here:
        missing = there.missing | here.missing
        rows = tuple(row for row in rows if row.needs not in missing)
        with ThreadPoolExecutor(1) as side, DeepGym() as client, warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the report says it
            controls = side.submit(try_bare, rows, there)
            trial = try_walled(client, rows, here)
            bare = _judge(rows, controls.result(), there)
            walled = _judge(rows, trial.seen, here)
    findings = []
    for row in violations:
        if row.name not in walled:
            findings.append(Finding(row, "left out", missing[row.needs or ""], "none"))
            continue
        # On the verdict the control is that an honest answer to the same environment scores.
        control = walled[HONEST.name] if row.evidence == "score" else bare[row.name]
        findings.append(conclude(row, walled[row.name], control))
    return findings, trial


def _judge(
    rows: tuple[Violation, ...], seen: Mapping[str, Observation], bait: Bait
) -> dict[str, tuple[bool | None, Observation]]:
    """For each attempt whether it went through, and what was seen of it."""
    judged = {}
    for row in rows:
        observation = seen.get(row.name, _NO_TRIAL)
        judged[row.name] = (went_through(row, observation, bait.holds_secret), observation)
    return judged

"""Pure graders from a TOML spec: (spec, candidate) -> Reward.

``verifyit.candidate`` grades values in process, ``verifyit.grade`` grades answer files, and
``verifyit.spec`` reads and writes the specs.
"""

from __future__ import annotations

from verifyit.candidate import (
    IN_PROCESS_MODES,
    candidate_spec,
    grade_candidate,
    grade_ejection_candidate,
    supports_in_process,
)
from verifyit.grade import aggregate_rewards, grade, run, write_reward
from verifyit.reward import GradingInfraError, InvalidTask, Reward, Status, infra_error, invalid_task, scored
from verifyit.spec import parse_spec, render_spec, spec_from_table, spec_to_table

__all__ = [
    "IN_PROCESS_MODES",
    "GradingInfraError",
    "InvalidTask",
    "Reward",
    "Status",
    "aggregate_rewards",
    "candidate_spec",
    "grade",
    "grade_candidate",
    "grade_ejection_candidate",
    "infra_error",
    "invalid_task",
    "parse_spec",
    "render_spec",
    "run",
    "scored",
    "spec_from_table",
    "spec_to_table",
    "supports_in_process",
    "write_reward",
]

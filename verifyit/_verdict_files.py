"""The files that tell a container's harness the verdict."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

from verifyit.reward import Reward, Status, validated

if TYPE_CHECKING:
    from pathlib import Path

REWARD_JSON = "reward.json"
REWARD_TXT = "reward.txt"
VERDICT_JSON = "verdict.json"


def clear_reward(logs_dir: Path) -> None:
    """Remove what an earlier run, or the candidate, left under the names of the verdict's files.

    Raises:
        OSError: Something there cannot be removed.
    """
    for name in (REWARD_JSON, REWARD_TXT, VERDICT_JSON):
        path = logs_dir / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def write_reward(logs_dir: Path, reward: Reward) -> None:
    """Write ``verdict.json`` and, for a scored verdict, ``reward.json`` and ``reward.txt``.

    Files of those names that are there already are removed first. A verdict that is not acceptable
    is written as the ``infra_error`` that says why.

    Raises:
        OSError: The folder or a file in it cannot be written.
    """
    logs_dir.mkdir(parents=True, exist_ok=True)
    clear_reward(logs_dir)
    verdict = validated(reward)
    record = {"reward": verdict.reward, "status": verdict.status.value, "detail": verdict.detail}
    _write_new(logs_dir / VERDICT_JSON, json.dumps(record, allow_nan=False) + "\n")
    if verdict.status is Status.SCORED:
        _write_new(logs_dir / REWARD_JSON, json.dumps({"reward": verdict.reward}) + "\n")
        _write_new(logs_dir / REWARD_TXT, f"{verdict.reward!r}\n")


def _write_new(path: Path, text: str) -> None:
    # O_EXCL: a link planted between the removal and this line is an error, not a way to write elsewhere.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)

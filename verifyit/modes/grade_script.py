"""Mode ``script``: a script of the task grades, and reports a reward or a whole verdict.

The script is trusted and runs beside the candidate's files, which are not: what it reports is read from a
private folder, through bounded reads that follow no symlink.
"""

from __future__ import annotations

import math
import os
import re
import tempfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, cast

from verifyit.execution.command import Completed, run_command
from verifyit.execution.worker import call_bounded
from verifyit.file_ops.read import MAX_ARTIFACT_BYTES, read_beneath, read_regular_bytes
from verifyit.json_objects import decode_unique
from verifyit.modes.run import STDERR_TAIL, grading_environment, require_timeout, workdir
from verifyit.reward import (
    GradingInfraError,
    InvalidTask,
    Reward,
    Status,
    infra_error,
    invalid_task,
    scored,
    validated,
    verdict_problem,
)
from verifyit.spec import DEFAULT_REWARD_KEY, ScriptSpec

if TYPE_CHECKING:
    from collections.abc import Callable

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
# A number longer than this is no reward, and reading it would only cost time.
MAX_NUMBER_CHARACTERS: Final = 400


class Channel(StrEnum):
    """Where a script reported its reward."""

    REWARD_JSON = "reward.json"
    REWARD_TXT = "reward.txt"
    STDOUT = "stdout"


@dataclass(frozen=True)
class Completion:
    """How a script ended."""

    exit_code: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Reported:
    """A reward as it was reported, where, and the other numbers beside it."""

    value: float
    channel: Channel
    metrics: dict[str, float] | None = None


def grade(spec: ScriptSpec, tests_dir: Path, workspace: Path) -> Reward:
    """Run the script and take over what it reports.

    Raises:
        InvalidTask: The spec is unusable, or the script is missing.
        GradingInfraError: The script failed, or what it reported cannot be read.
        OSError: The script cannot be started.
    """
    timeout = require_timeout(spec.timeout)
    verdict_parts = _verdict_parts(spec.verdict_file)
    script = tests_dir / spec.path
    if not spec.path or not script.is_file():
        raise InvalidTask(f"script {spec.path!r} is not a file of the task")
    folder = workdir(spec, workspace)
    interpreter = "bash" if script.suffix == ".sh" else "python3"
    argv = [interpreter, str(script.absolute()), *spec.args]
    with tempfile.TemporaryDirectory(prefix="verifyit-script-") as logs:
        environment = grading_environment(tests_dir, folder) | {"VERIFYIT_LOGS_DIR": logs}
        completed = run_command(argv, folder, timeout, env=environment)
        if verdict_parts is not None:
            return _read_verdict(completed, Path(logs), verdict_parts)
        return _read_reward(spec, completed, Path(logs))


def grade_script_callable(
    function: Callable[..., Reward], *args: object, timeout: float, **kwargs: object
) -> Reward:
    """The verdict of a trusted function, called in a process of its own under a deadline.

    Whatever goes wrong is an ``infra_error``, except InvalidTask, which is an ``invalid_task``.
    """
    try:
        return validated(call_bounded(function, *args, timeout=timeout, **kwargs))
    except InvalidTask as error:
        return invalid_task(str(error))
    except GradingInfraError as error:
        return validated(infra_error(f"{type(error).__name__}: {error}", **error.detail))
    except Exception as error:  # noqa: BLE001 - the boundary: a failing function is a verdict too
        return infra_error(f"{type(error).__name__}: {error}")


def parse_json_reward(text: str, reward_key: str) -> tuple[float, dict[str, float]]:
    """The reward in a JSON object, and its other numbers.

    Raises:
        ValueError: The text is not a JSON object, has duplicate keys, NaN or an infinity, or no number
            under the key.
    """
    table = decode_unique(text, finite=True)
    if not isinstance(table, dict):
        raise ValueError("the reward file must hold a JSON object")  # noqa: TRY004 - bad input of any kind is a ValueError
    if reward_key not in table:
        raise ValueError(f"the reward file has no {reward_key!r}")
    value = parse_reward_number(table[reward_key])
    metrics = {key: item for key, item in table.items() if key != reward_key and type(item) in (int, float)}
    return value, cast("dict[str, float]", metrics)


def parse_reward_number(value: object) -> float:
    """The finite number that a value is or spells.

    Raises:
        ValueError: It is none; booleans are not numbers.
    """
    if isinstance(value, str) and len(value) <= MAX_NUMBER_CHARACTERS and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"not a number: {str(value)[:80]!r}")  # noqa: TRY004 - as above
    try:
        number = float(value)
    except OverflowError:
        raise ValueError("the number is too large") from None
    if not math.isfinite(number):
        raise ValueError("the number is not finite")
    return number


def _verdict_parts(name: object) -> tuple[str, ...] | None:
    if name is None:
        return None
    parts = PurePosixPath(name).parts if isinstance(name, str) else ()
    if not parts or parts[0] == "/" or ".." in parts or "\0" in str(name):
        raise InvalidTask(f"verdict_file must be a path inside the log folder, not {name!r}")
    return parts


def _failed(completed: Completed) -> GradingInfraError:
    message = "script producer timed out" if completed.timed_out else "script producer failed"
    return GradingInfraError(message, exit_code=completed.returncode, stderr=completed.stderr[-STDERR_TAIL:])


def _read_verdict(completed: Completed, logs: Path, parts: tuple[str, ...]) -> Reward:
    if completed.timed_out or completed.returncode != 0:
        raise _failed(completed)
    folder = os.open(logs, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        content = read_beneath(folder, parts, limit_bytes=MAX_ARTIFACT_BYTES)
        table = decode_unique(content.decode("utf-8"), finite=True)
    except (OSError, ValueError) as error:
        raise GradingInfraError(f"the verdict file cannot be read: {error}") from error
    finally:
        os.close(folder)
    if not isinstance(table, dict) or not {"status", "reward", "detail"} <= table.keys():
        raise GradingInfraError("the verdict file must hold an object with status, reward and detail")
    status = next((status for status in Status if status.value == table["status"]), table["status"])
    verdict = Reward(table["reward"], status, table["detail"])
    problem = verdict_problem(verdict)
    if problem is not None:
        raise GradingInfraError(f"the verdict file is refused: {problem}")
    script = {"exit_code": completed.returncode, "stderr": completed.stderr[-STDERR_TAIL:]}
    return Reward(float(verdict.reward), verdict.status, {**verdict.detail, "script": script})


def _read_reward(spec: ScriptSpec, completed: Completed, logs: Path) -> Reward:
    if completed.timed_out:
        return scored(0.0, reason="timeout")
    if completed.returncode != 0:
        raise _failed(completed)
    completion = Completion(completed.returncode, completed.stdout, completed.stderr)
    try:
        reported = _reported(spec.reward_key, completion, logs)
    except (OSError, ValueError) as error:
        stderr = completion.stderr[-STDERR_TAIL:]
        raise GradingInfraError(f"the script's reward cannot be read: {error}", stderr=stderr) from error
    detail: dict[str, object] = {
        "exit_code": completion.exit_code,
        "stderr": completion.stderr[-STDERR_TAIL:],
    }
    detail["channel"] = reported.channel.value
    if reported.metrics is not None:
        detail["metrics"] = reported.metrics
    if not 0 <= reported.value <= 1:
        return scored(0.0, reason="reward_out_of_range", reported=reported.value, **detail)
    return scored(reported.value, **detail)


def _reported(reward_key: str, completion: Completion, logs: Path) -> Reported:
    """The reward from the first channel that was used; one that is used and malformed is an error."""
    as_json, as_text = logs / Channel.REWARD_JSON.value, logs / Channel.REWARD_TXT.value
    if os.path.lexists(as_json):
        value, metrics = parse_json_reward(read_regular_bytes(as_json).decode("utf-8"), reward_key)
        return Reported(value, Channel.REWARD_JSON, metrics)
    if reward_key != DEFAULT_REWARD_KEY:
        raise ValueError(f"reward key {reward_key!r} needs a reward.json")
    if os.path.lexists(as_text):
        return Reported(parse_reward_number(read_regular_bytes(as_text).decode("utf-8")), Channel.REWARD_TXT)
    lines = [line for line in completion.stdout.splitlines() if line.strip()]
    if not lines:
        raise ValueError("the script reported nothing")
    return Reported(parse_reward_number(lines[-1]), Channel.STDOUT)

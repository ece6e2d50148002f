"""A Harbor task's own test script, run inside script mode and reported as a whole verdict.

The native script writes ``reward.json`` or ``reward.txt`` as Harbor wants it; what it wrote becomes the
verdict file that a ``script`` spec with ``verdict_file = "verdict.json"`` reads.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any, Final

from verifyit.file_ops.read import read_regular_bytes
from verifyit.modes.grade_script import parse_json_reward, parse_reward_number
from verifyit.reward import InvalidTask

# Where the native script should write; Harbor's own place cannot be made by everyone.
NATIVE_LOGS_DIR_ENV: Final = "VERIFYIT_NATIVE_LOGS_DIR"
VERDICT_FILE: Final = "verdict.json"


def run_native(
    script_name: str, tests_dir: Path, workspace: Path, native_logs: Path, reward_key: str = "reward"
) -> dict[str, Any]:
    """Run a native script and give its result as the table of a verdict.

    Args:
        script_name: The script, inside the tests folder.
        tests_dir: The tests folder.
        workspace: Where it runs.
        native_logs: Where it writes its reward.
        reward_key: Which number of a ``reward.json`` is the reward.

    Raises:
        InvalidTask: The script is missing or lies outside the tests folder.
        OSError: The script cannot be started.
    """
    parts = PurePosixPath(script_name).parts
    script = tests_dir.joinpath(*parts)
    if not parts or parts[0] == "/" or ".." in parts or not script.is_file():
        raise InvalidTask(f"script {script_name!r} is not a file of the task")
    interpreter = "bash" if script.suffix == ".sh" else "python3"
    environment = os.environ | {NATIVE_LOGS_DIR_ENV: str(native_logs.absolute())}
    completed = subprocess.run(
        [interpreter, str(script.absolute())],
        cwd=workspace,
        env=environment,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    try:
        value, metrics = _read(native_logs, reward_key)
    except (OSError, ValueError) as error:
        return _verdict(
            "infra_error", 0.0, error=f"no native reward: {error}", exit_code=completed.returncode
        )
    if not 0 <= value <= 1:
        return _verdict("scored", 0.0, reason="reward_out_of_range", reported=value, **metrics)
    return _verdict("scored", value, exit_code=completed.returncode, **metrics)


def main(argv: list[str] | None = None) -> int:
    """Run a native script with the paths that script mode set, and write the verdict file.

    Raises:
        KeyError: The paths are not set: this is not script mode.
        OSError: The script cannot be started, or the verdict not written.
    """
    parser = argparse.ArgumentParser(prog="harbor_runtime", description="Run a native test script.")
    parser.add_argument("script")
    parser.add_argument("--reward-key", default="reward")
    options = parser.parse_args(argv)
    tests_dir, workspace = Path(os.environ["VERIFYIT_TESTS_DIR"]), Path(os.environ["VERIFYIT_WORKSPACE"])
    with tempfile.TemporaryDirectory(prefix="verifyit-native-") as native_logs:
        try:
            table = run_native(options.script, tests_dir, workspace, Path(native_logs), options.reward_key)
        except InvalidTask as error:
            table = _verdict("invalid_task", 0.0, error=str(error))
    target = Path(os.environ["VERIFYIT_LOGS_DIR"], VERDICT_FILE)
    target.write_text(json.dumps(table) + "\n", encoding="utf-8")
    return 0


def _read(native_logs: Path, reward_key: str) -> tuple[float, dict[str, Any]]:
    as_json, as_text = native_logs / "reward.json", native_logs / "reward.txt"
    if os.path.lexists(as_json):
        value, metrics = parse_json_reward(read_regular_bytes(as_json).decode("utf-8"), reward_key)
        return value, {"channel": "reward.json", "metrics": metrics}
    text = read_regular_bytes(as_text).decode("utf-8")
    return parse_reward_number(text), {"channel": "reward.txt"}


def _verdict(status: str, reward: float, **detail: object) -> dict[str, Any]:
    return {"status": status, "reward": reward, "detail": detail}


if __name__ == "__main__":
    raise SystemExit(main())

"""Runs the `tests/test.sh` of a task folder in a sealed box of its own, and reads the reward that it leaves.

This file is the verifier of such a task (see `deepgym.harbor`): standard library and `deepgym_solution` only. In the
box the script finds copies of what a task container has: `/app` with the answer, `/tests`, and `/logs/verifier` for its
reward. Where a box has no such paths, the copies of the tests name the places where the folders are instead.
"""

import json
import math
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from deepgym_solution import SolutionError, read_output, run_solution

# A reward is a number or a few; a larger file is not one.
MAX_REWARD_BYTES = 1_000_000
SHOWN_CHARS = 2_000

# The links in a box lead to /tmp. Where there are none, paths in the copies of the tests are rewritten.
LAUNCHER = """\
root=$PWD
base=
if [ "$(readlink /app)" = /tmp/app ] && [ "$(readlink /tests)" = /tmp/tests ]; then
    for name in app tests logs; do ln -s "$root/$name" "/tmp/$name" || exit 125; done
else
    base=$root
    find "$root/tests" -type f -exec grep -IlE '/(app|tests|logs)' {} + | while IFS= read -r file; do
        sed -E "s#(^|[^A-Za-z0-9_./-])/(app|tests|logs)\\\\b#\\\\1$root/\\\\2#g" "$file" > "$root/rewritten" || exit 125
        cat "$root/rewritten" > "$file"
    done
fi
export PATH="$root/bin:$PATH"
if [ -d "$root/lib" ]; then export PYTHONPATH="$root/lib${PYTHONPATH:+:$PYTHONPATH}"; fi
cd "$base/app" && exec bash "$base/tests/test.sh"
"""


def verify(solution_path: str, test_cases_path: str | None = None) -> dict[str, Any]:
    """The verdict of the script on the answer."""
    del test_cases_path
    settings = json.loads(Path("settings.json").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        lay_out(root, Path(solution_path), settings["answer_path"])
        launcher = root / "launch.sh"
        launcher.write_text(LAUNCHER)
        done = run_solution(
            launcher,
            cwd=root,
            interpreter="bash",
            env=settings["env"],
            timeout=settings["timeout_s"],
            allow_subprocess=True,
        )
        said = f"test.sh ended with exit code {done.returncode}\n{tail(done.stdout)}\n{tail(done.stderr)}".strip()
        print(done.stdout[-SHOWN_CHARS:])  # noqa: T201 - shown beside the verdict
        try:
            rewards = read_rewards(root / "logs" / "verifier")
            score = the_reward(rewards)
        except (ValueError, SolutionError) as error:
            raise ValueError(f"the tests left no usable reward: {error}; {said}") from None
    others = {name: value for name, value in rewards.items() if name != "reward"}
    return {"score": score, "details": said, "reward_components": others}


def lay_out(root: Path, answer: Path, answer_path: str) -> None:
    """Make the folders that the script expects."""
    shutil.copytree("tests", root / "tests")
    for file in (root / "tests").rglob("*"):
        if file.is_file() and file.read_bytes()[:2] == b"#!":
            file.chmod(0o755)
    (root / "logs" / "verifier").mkdir(parents=True)
    target = root / answer_path
    target.parent.mkdir(parents=True, exist_ok=True)
    (root / "app").mkdir(exist_ok=True)
    shutil.copyfile(answer, target)
    programs = root / "bin"
    programs.mkdir()
    for name in ("python", "python3"):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (programs / name).chmod(0o755)
    if any(b"verifyit" in file.read_bytes() for file in (root / "tests").rglob("*") if file.is_file()):
        add_verifyit(root)


def add_verifyit(root: Path) -> None:
    """Give the script the grader, which a solution's box does not show."""
    import verifyit  # noqa: PLC0415 -- only few scripts use it

    shutil.copytree(Path(str(verifyit.__file__)).parent, root / "lib" / "verifyit")
    (root / "bin" / "verifyit").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m verifyit "$@"\n')
    (root / "bin" / "verifyit").chmod(0o755)


def read_rewards(folder: Path) -> dict[str, float]:
    """The numbers that the script left: those of `reward.json`, with `reward.txt` for a reward that it does not name.

    Raises:
        ValueError: A file that is there cannot be understood, or there is none.
        SolutionError: One cannot be read, for it is no regular file or too large.
    """
    rewards: dict[str, float] = {}
    text = read_if_there("reward.json", folder)
    if text is not None:
        try:
            table = json.loads(text)
        except RecursionError:
            raise ValueError("reward.json is nested too deeply") from None
        if not isinstance(table, dict):
            raise ValueError("reward.json holds no object")
        rewards = {name: value for name, value in table.items() if type(value) in (int, float)}
        rewards = {name: finite(value, f"reward.json: {name}") for name, value in rewards.items()}
    if "reward" not in rewards:
        text = read_if_there("reward.txt", folder)
        if text is not None:
            rewards["reward"] = finite(text.strip(), "reward.txt")
    if not rewards:
        raise ValueError("there is no number in reward.json, and no reward.txt")
    return rewards


def the_reward(rewards: dict[str, float]) -> float:
    """The one that counts.

    Raises:
        ValueError: None is called `reward` and there are several, or it is not in [0, 1].
    """
    if "reward" not in rewards and len(rewards) > 1:
        raise ValueError(f"none of {sorted(rewards)} is called 'reward', and there is no reward.txt")
    value = rewards["reward"] if "reward" in rewards else next(iter(rewards.values()))
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"the reward {value!r} is not in [0, 1]")
    return value


def read_if_there(name: str, folder: Path) -> str | None:
    """A file's text, or None if there is no such file."""
    if not os.path.lexists(folder / name):
        return None
    return read_output(name, folder, limit_bytes=MAX_REWARD_BYTES)


def finite(value: Any, where: str) -> float:
    """A value as a finite number.

    Raises:
        ValueError: It is none.
    """
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise ValueError(f"{where} is no number: {value!r:.100}") from None
    if not math.isfinite(number):
        raise ValueError(f"{where} is {number}")
    return number


def tail(text: str) -> str:
    """The end of a long text."""
    return text.strip()[-SHOWN_CHARS:]

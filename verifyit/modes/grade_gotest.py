"""Mode ``gotest``: the candidate's packages are tested by ``go test``, whose event stream is read."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from verifyit.execution.command import run_command
from verifyit.file_ops.restore import restore
from verifyit.modes.run import STDERR_TAIL, check_ids, require_timeout, run_setup, setup_failure, workdir
from verifyit.reward import Reward, scored

if TYPE_CHECKING:
    from pathlib import Path

    from verifyit.spec import GotestSpec

_ENDINGS: Final = ("pass", "fail", "skip")


@dataclass
class _Events:
    """What an event stream says: outcomes by test id, and what is unfinished, by package."""

    outcomes: dict[str, bool] = field(default_factory=dict)
    running: dict[str, set[str]] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)

    def take(self, event: dict[str, object]) -> None:
        """Take in one event."""
        package, test, action = event.get("Package"), event.get("Test"), event.get("Action")
        if not isinstance(package, str) or not isinstance(action, str):
            return
        running = self.running.setdefault(package, set())
        if not isinstance(test, str):
            if action in _ENDINGS:
                self.ended[package] = action
            return
        name = f"{package}.{test}"
        if action == "run":
            running.add(name)
        elif action in _ENDINGS:
            running.discard(name)
            if action != "skip":
                self.outcomes[name] = self.outcomes.get(name, True) and action == "pass"
            if action == "fail":
                self.failed.add(package)

    def settle(self) -> None:
        """Count as failed what the end of its package cut off.

        A package that ended as failed without a failed test was ended from inside, or was not built: code
        of the candidate's either way.
        """
        for package, action in self.ended.items():
            cut_off = self.running[package]
            self.outcomes.update(dict.fromkeys(cut_off, False))
            if action == "fail" and not cut_off and package not in self.failed and self.outcomes:
                self.outcomes[package] = False

    def is_cut_off(self) -> bool:
        """Whether a package began and has no end: the stream of the go tool itself was cut."""
        return any(package not in self.ended for package in self.running)


def parse_events(stream: str) -> dict[str, bool]:
    """What a ``go test -json`` stream says: test id to whether it passed every time; skips are absent."""
    return _read(stream).outcomes


def grade(spec: GotestSpec, tests_dir: Path, workspace: Path) -> Reward:
    """Run the tests and grade their outcomes, all or nothing.

    Raises:
        InvalidTask: The timeout is unusable, or a file to restore is missing.
        RuntimeError: ``go test`` did not do its work.
        OSError: There is no ``go``.
    """
    deadline = time.monotonic() + require_timeout(spec.timeout)
    folder = workdir(spec, workspace)
    restore(spec.restore, tests_dir, folder)
    if spec.setup:
        failed = setup_failure(run_setup(spec.setup, tests_dir, folder, spec.timeout))
        if failed is not None:
            return failed
    argv = ["go", "test", "-json", *spec.args, *spec.packages]
    completed = run_command(argv, folder, max(deadline - time.monotonic(), 0.0))
    tail = (completed.stdout + completed.stderr)[-STDERR_TAIL:]
    if completed.timed_out:
        return scored(0.0, reason="timeout", passed=0, total=0)
    if completed.truncated:
        return scored(0.0, reason="output_too_large", passed=0, total=0)
    if completed.returncode not in (0, 1):
        raise RuntimeError(f"go test exited {completed.returncode}: {tail}")
    events = _read(completed.stdout)
    if events.outcomes and events.is_cut_off():
        raise RuntimeError(f"the event stream of go test is incomplete: {tail}")
    events.settle()
    if completed.returncode == 1 and events.outcomes and all(events.outcomes.values()):
        raise RuntimeError(f"go test failed although every test passed: {tail}")
    return check_ids(events.outcomes, spec.must_pass, spec.must_not_break, exit_code=completed.returncode)


def _read(stream: str) -> _Events:
    events = _Events()
    for line in stream.split("\n"):
        if line.startswith("{"):
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                # A test may print what it likes; what is lost by it shows as an incomplete stream.
                continue
            if isinstance(event, dict):
                events.take(event)
    return events

"""The doctor on this machine: behind its wall everything is stopped, without one much goes through."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from deepgym.doctor import examine
from deepgym.doctor.bait import Bait
from deepgym.doctor.violations import VIOLATIONS
from deepgym_solution._isolation import bwrap
from tests.attack import callers
from tests.support import require

ROOT = Path(__file__).parent.parent.parent


def doctor(**variables):
    # No test's own choice of a way, nor a tool's variables, decide what is tried.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DEEPGYM_LOCAL")}
    return subprocess.run(
        [sys.executable, "-m", "deepgym", "doctor", "--json"],
        cwd=ROOT,
        env={**environment, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def left_behind():
    folders = {Path(tempfile.gettempdir()), Path("/var/tmp"), Path("/dev/shm"), Path.home(), Path("/run")}
    names = {path.name for folder in folders if os.access(folder, os.R_OK) for path in folder.iterdir()}
    return {name for name in names if name.startswith(("dgd", "deepgym-doctor"))}


def outcomes(data):
    return {item["name"]: item["outcome"] for item in data["violations"]}


@pytest.mark.slow
@pytest.mark.parametrize("way", ["nested", "pool"])
def test_behind_the_wall_every_violation_is_stopped(way):
    path, reason = bwrap.find_bwrap()
    require("bwrap", None if path else reason)
    ended = doctor(DEEPGYM_LOCAL_WAY=way)
    assert not ended.stderr
    data = json.loads(ended.stdout)
    not_stopped = {
        name: state for name, state in outcomes(data).items() if state not in ("stopped", "left_out")
    }
    assert not_stopped == {}
    assert (ended.returncode, data["grade"], data["way"]) == (0, "sealed", way)
    assert data["counts"]["stopped"] >= 100
    # Most of it is known to be an attack: it goes through where nothing stops it.
    working = [item for item in data["violations"] if not item["control"].startswith("refused")]
    assert len(working) >= 90


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="every other test here runs as a user already")
def test_the_wall_of_a_user_without_rights_stops_the_same():
    path, reason = bwrap.find_bwrap()
    require("bwrap", None if path else reason)
    user = callers.UnprivilegedUser()
    try:
        caller = user.open()
        if isinstance(caller, str):
            pytest.skip(caller)
        ended = caller.run("-m", "deepgym", "doctor", "--json", environment={}, timeout=300)
    finally:
        user.close()
    data = json.loads(ended.stdout)
    not_stopped = {
        name: state for name, state in outcomes(data).items() if state not in ("stopped", "left_out")
    }
    assert (not_stopped, ended.returncode, data["grade"]) == ({}, 0, "sealed")


@pytest.mark.slow
def test_without_a_wall_the_doctor_says_no():
    ended = doctor(DEEPGYM_LOCAL_WAY="plain")
    data = json.loads(ended.stdout)
    assert (ended.returncode, data["grade"], data["way"]) == (1, "process", "plain")
    through = {name for name, state in outcomes(data).items() if state == "went_through"}
    assert through >= {
        "read-tmp", "read-judges-folder", "read-packages", "meet-neighbour", "write-folder", "command-lines", "kill",
        "stop", "connect-unix", "connect-abstract", "disk", "leave-file", "judge-read-tmp",
        "judge-connect-tcp", "judge-kill",
    }  # fmt: skip
    assert data["remedies"][0]["command"] == "unset DEEPGYM_LOCAL_WAY"


def some(*names):
    return tuple(violation for violation in VIOLATIONS if violation.name in names)


def test_too_few_attempts_are_no_proof():
    report = examine(some("read-tmp", "kill"))
    assert report.exit_code in (1, 2)
    assert len(report.findings) == 2


def test_the_doctor_leaves_nothing_behind():
    before = left_behind()
    environment = dict(os.environ)
    examine(
        some(
            "leave-daemon",
            "leave-child",
            "leave-file",
            "leave-shared-memory",
            "kill",
            "inodes",
            "meet-neighbour",
        )
    )
    assert left_behind() <= before
    assert dict(os.environ) == environment
    listed = subprocess.run(["ps", "-eo", "comm,stat"], capture_output=True, text=True, check=True).stdout
    assert not [line for line in listed.splitlines() if line.startswith("dgd") and " Z" not in line]


def test_what_an_attempt_is_given_holds_no_secret():
    with Bait(VIOLATIONS, is_control=False) as bait:
        for violation in VIOLATIONS:
            assert not bait.holds_secret(json.dumps(bait.of(violation)))
        assert bait.holds_secret(Path(bait.of(VIOLATIONS[0])["files"]["tmp"]).read_text())


def test_without_any_way_to_run_the_doctor_could_not_tell(monkeypatch):
    def no_host(*_arguments, **_options):
        raise OSError(11, "no more processes")

    monkeypatch.setattr("deepgym.backends.local.hosts.HostProcess", no_host)
    report = examine(some("read-tmp"))
    assert (report.exit_code, report.way, report.grade) == (2, None, None)
    assert "no more processes" in report.findings[0].how

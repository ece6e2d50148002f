"""Every call the filter refuses, attempted for real with it and without it, as root and as a user."""

import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from deepgym_solution._isolation import seccomp
from tests.attack import system_calls

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
NOBODY = 65534
MACHINE = seccomp.current_machine()

pytestmark = pytest.mark.skipif(
    MACHINE is None or not sys.platform.startswith("linux"),
    reason="the filter knows Linux on x86-64 and aarch64",
)
ATTEMPTS = system_calls.attempts(MACHINE) if MACHINE else []
# A caller without privileges can only try as itself.
USERS = [0, NOBODY] if os.getuid() == 0 else [os.getuid()]


def run_program(*argv, **options):
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, *argv],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )


@functools.cache
def outcomes(mode, uid):
    ended = run_program(str(HERE / "system_calls.py"), mode, str(uid))
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.mark.parametrize("uid", USERS)
@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda attempt: attempt.name)
def test_the_filter_stops(attempt, uid):
    assert outcomes("filtered", uid)[attempt.name] == attempt.refusal


def excused(attempt, uid):
    return attempt.no_control or (attempt.no_user_control if uid else "")


@pytest.mark.parametrize(
    ("attempt", "uid"),
    [
        pytest.param(attempt, uid, id=f"{attempt.name}-{uid}")
        for attempt in ATTEMPTS
        for uid in USERS
        if not excused(attempt, uid)
    ],
)
def test_without_the_filter_the_kernel_answers_otherwise(attempt, uid):
    assert outcomes("bare", uid)[attempt.name] != attempt.refusal


def test_nearly_every_attempt_has_a_control():
    without = [attempt for attempt in ATTEMPTS if attempt.no_control]
    assert {attempt.no_control for attempt in without} <= {
        system_calls.MAY_BE_ABSENT,
        system_calls.GONE,
        system_calls.UNSAFE,
    }
    assert len(ATTEMPTS) - len(without) >= 80


@pytest.mark.skipif(MACHINE != "x86_64", reason="only x86-64 has this entry")
@pytest.mark.parametrize("uid", USERS)
def test_the_32_bit_entry_ends_the_process(uid):
    assert outcomes("filtered", uid)["int 0x80"] == -signal.SIGSYS
    # A pid where the kernel has the entry, SIGSEGV where it was built or booted without.
    control = outcomes("bare", uid)["int 0x80"]
    assert control > 0 or control == -signal.SIGSEGV


@pytest.mark.parametrize("uid", USERS)
def test_honest_programs_run_behind_the_filter(uid):
    ended = run_program(str(HERE / "honest_program.py"), str(uid))
    assert (ended.stdout, ended.returncode) == ("fine", 0), ended.stderr


def test_the_filter_covers_threads_that_were_there_before():
    code = """
import os, threading
from deepgym_solution._isolation import seccomp
gate, said = threading.Event(), []
def late():
    gate.wait(10)
    try:
        os.open('/tmp/never-made', os.O_CREAT | os.O_EXCL, 0o4755)
    except PermissionError as refused:
        said.append(refused.errno)
thread = threading.Thread(target=late)
thread.start()
seccomp.install_filter(seccomp.build_filter(seccomp.SeccompPolicy(), seccomp.current_machine()))
gate.set()
thread.join()
print(said)
"""
    ended = run_program("-c", code)
    assert ended.stdout == "[1]\n", ended.stderr
    assert threading.active_count() >= 1


def test_a_program_the_kernel_will_not_take_is_an_error_and_installs_nothing():
    code = """
from deepgym_solution._isolation import seccomp
try:
    seccomp.install_filter(bytes(8))
except OSError as refused:
    print('refused', refused.errno)
print([line.split()[1] for line in open('/proc/self/status') if line.startswith('Seccomp:')])
"""
    ended = run_program("-c", code)
    assert ended.stdout == "refused 22\n['0']\n", ended.stderr


def test_a_program_prepared_before_a_fork_installs_after_it():
    code = """
import os
from deepgym_solution._isolation import seccomp
program = seccomp.build_filter(seccomp.SeccompPolicy(), seccomp.current_machine())
seccomp.prepare_filter(program)
if os.fork() == 0:
    seccomp.install_filter(program)
    os._exit(int(open('/proc/self/status').read().split('Seccomp:')[1].split()[0]))
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    ended = run_program("-c", code)
    assert ended.stdout == "2\n", ended.stderr


def test_bwrap_takes_the_same_bytes():
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        if "bwrap" in os.environ.get("DEEPGYM_TEST_REQUIRE", ""):
            pytest.fail("bwrap is required and missing")
        pytest.skip("bwrap is not installed")
    reader, writer = os.pipe()
    os.write(writer, seccomp.build_filter(seccomp.SeccompPolicy(), MACHINE))
    os.close(writer)
    shell = "grep '^Seccomp:' /proc/self/status; unshare -U true || echo refused"
    argv = [bwrap, "--ro-bind", "/", "/", "--seccomp", str(reader), "/bin/sh", "-c", shell]
    try:
        ended = subprocess.run(
            argv, pass_fds=[reader], capture_output=True, text=True, timeout=30, check=False
        )
    finally:
        os.close(reader)
    assert ended.stdout.split() == ["Seccomp:", "2", "refused"], ended.stderr

"""Programs and functions under a deadline: nothing outlives them, nothing fills the grader."""

import os
import sys
import time

import pytest

from verifyit.execution import command
from verifyit.execution.command import run_command
from verifyit.execution.worker import call_bounded


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


def until_gone(pid, limit_s=5.0):
    deadline = time.monotonic() + limit_s
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(pid)


def test_a_program_gives_its_output_and_exit_code(tmp_path):
    done = run_command(["sh", "-c", "pwd; echo err >&2; echo $X; exit 3"], tmp_path, 10, env={"X": "y"})
    assert (done.returncode, done.stdout, done.stderr) == (3, f"{tmp_path}\ny\n", "err\n")
    assert not done.timed_out
    assert not done.truncated


def test_its_input_is_what_is_given_or_empty(tmp_path):
    assert run_command(["cat"], tmp_path, 10).stdout == ""
    text = "é" * 1_000_000
    assert run_command(["cat"], tmp_path, 10, stdin_text=text).stdout == text
    assert run_command(["true"], tmp_path, 10, stdin_text=text).returncode == 0


def test_bytes_that_are_not_text_are_replaced(tmp_path):
    assert run_command(["printf", r"a\377"], tmp_path, 10).stdout == "a\ufffd"


def test_a_missing_program_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        run_command(["/no/such/program"], tmp_path, 10)


def test_the_deadline_kills_the_whole_group_and_keeps_the_output(tmp_path):
    started = time.monotonic()
    done = run_command(["sh", "-c", "sleep 60 & echo $!; sleep 60"], tmp_path, 0.5)
    assert done.timed_out
    assert time.monotonic() - started < 5
    assert until_gone(int(done.stdout))


def test_a_child_that_left_the_group_is_killed_at_the_deadline_too(tmp_path):
    script = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    print(os.getpid(), flush=True)\ntime.sleep(60)\n"
    done = run_command([sys.executable, "-c", script], tmp_path, 1.0)
    assert done.timed_out
    assert until_gone(int(done.stdout))


def test_what_a_program_leaves_behind_is_killed_when_it_ends(tmp_path):
    done = run_command(["sh", "-c", "sleep 60 & echo $!"], tmp_path, 30)
    assert not done.timed_out
    assert until_gone(int(done.stdout))


def test_somebody_who_keeps_a_pipe_open_cannot_delay_the_result(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "KILL_GRACE_S", 0.3)
    script = (
        "import os, time\nread, write = os.pipe()\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        print(os.getpid(), flush=True)\n        os.close(write)\n        time.sleep(20)\n    os._exit(0)\n"
        "os.close(write)\nos.read(read, 1)\nos.wait()\n"
    )
    script = script.replace("os.read(read, 1)\n", "")
    started = time.monotonic()
    done = run_command([sys.executable, "-c", script], tmp_path, 15)
    assert time.monotonic() - started < 10
    assert not done.timed_out
    for pid in done.stdout.split():
        os.kill(int(pid), 9)


def test_a_program_that_closed_its_pipes_is_still_waited_for(tmp_path):
    done = run_command(["sh", "-c", "exec <&- >&- 2>&-; sleep 0.2; exit 4"], tmp_path, 10)
    assert done.returncode == 4


def test_output_beyond_the_limit_is_dropped(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "MAX_OUTPUT_BYTES", 1000)
    done = run_command(["sh", "-c", "head -c 100000 /dev/zero; echo e >&2"], tmp_path, 10)
    assert (len(done.stdout), done.stderr, done.truncated, done.returncode) == (1000, "e\n", True, 0)


class OddError(Exception):
    def __init__(self, one, two):
        super().__init__(one)


def double(value, *, times=2):
    sys.stdout.write("noise")
    return value * times


def fail(message):
    raise KeyError(message)


def fail_oddly():
    raise OddError(1, 2)


def exit_now():
    os._exit(0)


def give_a_lambda():
    return lambda: None


def leave_a_child():
    import subprocess

    return subprocess.Popen(["sleep", "60"]).pid


def test_a_function_is_called_elsewhere_and_its_result_comes_back():
    assert call_bounded(double, [1], timeout=20, times=3) == [1, 1, 1]
    assert call_bounded(os.getpid, timeout=20) != os.getpid()


def test_its_own_exception_is_raised_again():
    with pytest.raises(KeyError, match="why"):
        call_bounded(fail, "why", timeout=20)


def test_the_deadline_is_a_timeout_error():
    with pytest.raises(TimeoutError, match="sleep"):
        call_bounded(time.sleep, 60, timeout=0.5)


@pytest.mark.parametrize("function", [exit_now, give_a_lambda, fail_oddly])
def test_a_worker_without_a_readable_result_is_a_runtime_error(function):
    with pytest.raises(RuntimeError, match="worker"):
        call_bounded(function, timeout=20)


def test_children_of_the_function_are_killed():
    assert until_gone(call_bounded(leave_a_child, timeout=20))


@pytest.mark.parametrize("function", [lambda: 1, OddError.__init__, pytest, 5, "x".join])
def test_only_functions_that_can_be_imported_are_called(function):
    with pytest.raises(TypeError):
        call_bounded(function, timeout=5)


def test_a_function_that_another_of_its_name_hides_is_refused():
    hidden = type(double)(double.__code__, globals(), "double")
    hidden.__qualname__ = "double"
    with pytest.raises(TypeError, match="another"):
        call_bounded(hidden, 1, timeout=5)
    hidden.__module__ = "no_such_module_at_all"
    with pytest.raises(TypeError):
        call_bounded(hidden, 1, timeout=5)


def test_arguments_must_pickle():
    with pytest.raises(TypeError, match="pickle"):
        call_bounded(double, lambda: 1, timeout=5)


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), True, "1", None])
def test_a_deadline_is_a_finite_number_above_zero(timeout):
    with pytest.raises(ValueError, match="timeout"):
        call_bounded(double, 1, timeout=timeout)

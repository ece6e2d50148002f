"""The macOS profile: its text is parsed and evaluated here as the sandbox would, the last matching rule winning."""

import re

import pytest

from deepgym_solution._isolation import seatbelt
from deepgym_solution._isolation.seatbelt import SeatbeltPolicy, build_argv, build_profile

PYTHON = "/opt/python/bin/python3.11"
POLICY = SeatbeltPolicy(
    programs=(PYTHON,),
    readable=("/opt/python", "/private/tmp/run-1/solution.py"),
    writable=("/private/tmp/run-1/work",),
)


def parse(text):
    """A list of rules, each a nested list of words; strings keep their quotes."""
    stack = [[]]
    for token in re.findall(r'"[^"\\]*"|[()]|[^\s()"]+', text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    assert len(stack) == 1, "unbalanced parentheses"
    return stack[0]


class Sandbox:
    """Evaluates what build_argv() would apply."""

    def __init__(self, policy):
        argv = build_argv(policy, [policy.programs[0], "-c", "pass"])
        self.rules = parse(argv[2])
        self.parameters = dict(word[2:].split("=", 1) for word in argv[3 : argv.index("--")])

    def allows(self, operation, path=None):
        verdict = None
        for head, *rest in self.rules:
            if head not in {"allow", "deny"}:
                continue
            operations = [word for word in rest if isinstance(word, str)]
            filters = [word for word in rest if isinstance(word, list)]
            if any(self.covers(named, operation) for named in operations) and (
                not filters or any(self.matches(one, path) for one in filters)
            ):
                verdict = head
        return verdict == "allow"

    def covers(self, named, operation):
        return named in {"default", operation} or (named.endswith("*") and operation.startswith(named[:-1]))

    def matches(self, one, subject):
        kind, value = one[0], one[-1]
        text = self.parameters[value[1].strip('"')] if isinstance(value, list) else value.strip('"')
        if kind == "literal":
            return subject == text
        if kind == "subpath":
            return subject is not None and (subject == text or subject.startswith(text + "/"))
        if kind in {"sysctl-name-prefix", "ipc-posix-name-prefix"}:
            return subject is not None and subject.startswith(text)
        if kind in {"sysctl-name", "target", "remote"}:
            return subject == text
        raise AssertionError(f"unknown filter {one}")


def test_everything_is_denied_first():
    rules = parse(build_profile(POLICY))
    assert rules[:2] == [["version", "1"], ["deny", "default"]]


@pytest.mark.parametrize(
    "path",
    [
        "/Users/me/.ssh/id_rsa",
        "/private/etc/passwd",
        "/private/tmp/run-2/solution.py",
        "/private/tmp/run-1",
        "/opt",
    ],
)
def test_nothing_outside_the_policy_is_read(path):
    assert not Sandbox(POLICY).allows("file-read-data", path)


@pytest.mark.parametrize(
    "path",
    [
        "/opt/python/lib/os.py",
        "/private/tmp/run-1/solution.py",
        "/private/tmp/run-1/work/a/b",
        "/usr/lib/libSystem.B.dylib",
        "/dev/urandom",
        PYTHON,
    ],
)
def test_what_the_policy_names_and_the_system_needs_is_read(path):
    assert Sandbox(POLICY).allows("file-read-data", path)


def test_folders_above_are_looked_up_and_not_listed():
    sandbox = Sandbox(POLICY)
    for folder in ("/", "/opt", "/private", "/private/tmp", "/private/tmp/run-1"):
        assert sandbox.allows("file-read-metadata", folder)
        assert not sandbox.allows("file-read-data", folder)
    assert not sandbox.allows("file-read-metadata", "/Users/me")


def test_only_the_writable_folder_is_written():
    sandbox = Sandbox(POLICY)
    assert sandbox.allows("file-write-create", "/private/tmp/run-1/work/out")
    assert sandbox.allows("file-write-data", "/dev/null")
    for path in (
        "/opt/python/lib/os.py",
        "/private/tmp/run-1/solution.py",
        "/private/tmp/x",
        "/private/tmp/run-1/workx",
    ):
        assert not sandbox.allows("file-write-data", path)


def test_nothing_is_written_where_nothing_may_be():
    sandbox = Sandbox(SeatbeltPolicy(programs=(PYTHON,)))
    assert not sandbox.allows("file-write-create", "/private/tmp/x")


def test_set_id_bits_are_denied_even_where_writing_is_allowed():
    assert not Sandbox(POLICY).allows("file-write-setugid", "/private/tmp/run-1/work/out")


def test_only_the_interpreter_is_executed():
    sandbox = Sandbox(POLICY)
    assert sandbox.allows("process-exec", PYTHON)
    for program in ("/bin/sh", "/usr/bin/env", "/private/tmp/run-1/work/a.out", "/opt/python/bin/other"):
        assert not sandbox.allows("process-exec", program)


def test_programs_are_executed_when_granted_and_written_ones_are_not():
    sandbox = Sandbox(SeatbeltPolicy(programs=(PYTHON,), writable=("/private/tmp/w",), allow_subprocess=True))
    assert sandbox.allows("process-exec", "/bin/sh")
    assert sandbox.allows("process-fork")
    assert not sandbox.allows("process-exec", "/private/tmp/w/a.out")


def test_processes_start_only_when_allowed():
    assert Sandbox(POLICY).allows("process-fork")
    assert not Sandbox(SeatbeltPolicy(programs=(PYTHON,), allow_fork=False)).allows("process-fork")


@pytest.mark.parametrize(
    "operation", ["network-outbound", "network-inbound", "network-bind", "system-socket"]
)
def test_there_is_no_network(operation):
    assert not Sandbox(POLICY).allows(operation, "localhost:8000")


def test_a_granted_port_is_the_only_one():
    sandbox = Sandbox(SeatbeltPolicy(programs=(PYTHON,), loopback_port=8000))
    assert sandbox.allows("network-outbound", "localhost:8000")
    assert not sandbox.allows("network-outbound", "localhost:8001")
    assert not sandbox.allows("network-bind", "localhost:8000")


def test_other_processes_are_neither_seen_nor_signalled():
    sandbox = Sandbox(POLICY)
    assert sandbox.allows("process-info-pidinfo", "self")
    assert not sandbox.allows("process-info-pidinfo", "others")
    assert not sandbox.allows("signal", "others")
    assert not sandbox.allows("sysctl-read", "kern.procargs2")
    assert sandbox.allows("sysctl-read", "hw.ncpu")


@pytest.mark.parametrize(
    "operation", ["mach-lookup", "iokit-open", "mach-priv-task-port", "nvram-get", "system-fsctl"]
)
def test_services_of_the_system_are_not_reached(operation):
    assert not Sandbox(POLICY).allows(operation)


def test_multiprocessing_has_its_semaphores_and_no_others():
    sandbox = Sandbox(POLICY)
    assert sandbox.allows("ipc-posix-sem", "/mp-abc")
    assert sandbox.allows("ipc-posix-shm-read-data", "/psm_1")
    assert not sandbox.allows("ipc-posix-sem", "/other")
    assert not sandbox.allows("ipc-posix-shm-read-data", "apple.shm.notification_center")


def test_a_hostile_path_stays_a_path():
    hostile = '/private/tmp/a")(allow default)("'
    argv = build_argv(SeatbeltPolicy(programs=(PYTHON,), writable=(hostile,)), [PYTHON])
    assert "allow default" not in argv[2]
    assert f"-DWRITE_0={hostile}" in argv


def test_the_command_line_ends_options_before_the_command():
    argv = build_argv(POLICY, [PYTHON, "-I", "x.py"])
    assert argv[0] == "/usr/bin/sandbox-exec"
    assert argv[argv.index("--") :] == ["--", PYTHON, "-I", "x.py"]
    assert argv[1] == "-p"


@pytest.mark.parametrize("path", ["relative", "/", "/a/../b", "/a//b", "/a/", "", "/a\0b"])
def test_a_path_that_is_not_plain_is_refused(path):
    with pytest.raises(ValueError, match="not an absolute, normal path"):
        build_profile(SeatbeltPolicy(programs=(PYTHON,), readable=(path,)))


@pytest.mark.parametrize("port", [0, 65536, -1, True, "80"])
def test_a_port_that_is_none_is_refused(port):
    with pytest.raises(ValueError, match="not a port number"):
        build_profile(SeatbeltPolicy(programs=(PYTHON,), loopback_port=port))


@pytest.mark.parametrize("command", [[], ["/bin/sh"]])
def test_a_command_the_profile_would_not_execute_is_refused(command):
    with pytest.raises(ValueError, match="does not let"):
        build_argv(POLICY, command)


def test_only_macos_has_it(monkeypatch):
    monkeypatch.setattr(seatbelt.sys, "platform", "linux")
    assert not seatbelt.is_available()
    monkeypatch.setattr(seatbelt.sys, "platform", "darwin")
    monkeypatch.setattr(seatbelt.os, "access", lambda path, mode: path == seatbelt.SANDBOX_EXEC)
    assert seatbelt.is_available()

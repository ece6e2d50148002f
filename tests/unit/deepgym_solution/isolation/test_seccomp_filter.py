"""What the filter decides, by running its program in an interpreter written here from the kernel's documentation."""

import errno
import os
import re
import stat
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepgym_solution._isolation import _bpf
from deepgym_solution._isolation._syscalls import SYSCALLS
from deepgym_solution._isolation.seccomp import MACHINES, SeccompPolicy, build_filter, current_machine

ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
I386, ARM = 0x40000003, 0x40000028
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
UNISTD = {
    "x86_64": ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"),
    "aarch64": ("/usr/include/asm-generic/unistd.h",),
}

ALWAYS_EPERM_TEXT = """
    ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd mount umount2 pivot_root chroot move_mount
    open_tree open_tree_attr fsopen fsconfig fsmount fspick mount_setattr unshare setns bpf
    perf_event_open userfaultfd add_key request_key keyctl init_module finit_module delete_module
    kexec_load kexec_file_load reboot swapon swapoff acct quotactl quotactl_fd syslog vhangup sethostname
    setdomainname settimeofday clock_settime clock_adjtime adjtimex iopl ioperm modify_ldt
    name_to_handle_at open_by_handle_at fanotify_init fanotify_mark lookup_dcookie migrate_pages
    move_pages vmsplice lsm_set_self_attr
    sched_setaffinity sched_setattr sched_setparam sched_setscheduler
"""
ALWAYS_EPERM = frozenset(ALWAYS_EPERM_TEXT.split())
ALWAYS_ENOSYS_TEXT = """
    clone3 openat2 memfd_secret io_uring_setup io_uring_enter io_uring_register uselib ustat sysfs _sysctl
    nfsservctl create_module get_kernel_syms query_module getpmsg putpmsg afs_syscall tuxcall security
    vserver epoll_ctl_old epoll_wait_old
    memfd_create shmget
"""
ALWAYS_ENOSYS = frozenset(ALWAYS_ENOSYS_TEXT.split())
# With every argument zero these are refused for what the arguments say: family 0, and no CLONE_THREAD or the like.
ZERO_ARGUMENTS_REFUSED = {"socket": errno.EAFNOSUPPORT, "socketpair": errno.EAFNOSUPPORT}

STREAM, DGRAM, RAW, SEQPACKET = 1, 2, 3, 5
SOCK_CLOEXEC = 0o2000000
HIGH_HALF = 0xFFFFFFFF << 32
DEFAULT = SeccompPolicy()


def run_program(program, number, arguments=(), arch=ARCH["x86_64"]):
    """Evaluate a filter on one call and give what the kernel would be told."""
    padded = [value & 0xFFFFFFFFFFFFFFFF for value in arguments] + [0] * (6 - len(arguments))
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, arch, 0, *padded)
    instructions = list(struct.iter_unpack("=HBBI", program))
    position, accumulator = 0, 0
    while True:
        code, yes, no, value = instructions[position]
        position += 1
        if code == 0x20:
            assert value % 4 == 0
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif code == 0x54:
            accumulator &= value
        elif code == 0x05:
            position += value
        elif code == 0x06:
            return value
        elif code in {0x15, 0x35, 0x45}:
            holds = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: accumulator & value != 0}[
                code
            ]
            position += yes if holds else no
        else:
            raise AssertionError(f"the kernel refuses instruction {code:#x} in a filter")


def decide(call, *arguments, policy=DEFAULT, machine="x86_64"):
    number = SYSCALLS[machine][call] if isinstance(call, str) else call
    return run_program(build_filter(policy, machine), number, arguments, ARCH[machine])


@pytest.fixture(params=sorted(MACHINES))
def machine(request):
    return request.param


@pytest.mark.parametrize("table", sorted(UNISTD))
def test_the_table_agrees_with_the_headers_of_this_machine(table):
    header = next((Path(path) for path in UNISTD[table] if Path(path).exists()), None)
    if header is None:
        pytest.skip("the kernel's headers are not installed")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)$", header.read_text(), re.MULTILINE)
    known = SYSCALLS[table]
    compared = 0
    for name, number in found:
        # In the generic header: a gap for architectures to fill, a name that 64-bit machines spell otherwise, a
        # variant that other machines have, the count of all calls; and from 403 on, calls of 32-bit machines.
        if (
            name in {"arch_specific_syscall", "fstatat", "sync_file_range2", "syscalls"}
            or 403 <= int(number) <= 423
        ):
            continue
        if int(number) <= max(known.values()):
            assert known.get(name) == int(number), name
            compared += 1
    assert compared > 300


def test_numbers_are_given_once(machine):
    numbers = list(SYSCALLS[machine].values())
    assert len(numbers) == len(set(numbers))


def test_both_machines_have_the_shared_numbers():
    tables = [{name: number for name, number in SYSCALLS[m].items() if number >= 424} for m in MACHINES]
    assert tables[0] == tables[1]
    assert tables[0]["clone3"] == 435
    assert tables[0]["file_setattr"] == 469


def test_every_call_with_zero_arguments_is_decided_as_listed(machine):
    program = build_filter(SeccompPolicy(), machine)
    for name, number in SYSCALLS[machine].items():
        decision = run_program(program, number, (), ARCH[machine])
        if name in ALWAYS_EPERM:
            assert decision == REFUSE | errno.EPERM, name
        elif name in ALWAYS_ENOSYS:
            assert decision == REFUSE | errno.ENOSYS, name
        elif name in ZERO_ARGUMENTS_REFUSED:
            assert decision == REFUSE | ZERO_ARGUMENTS_REFUSED[name], name
        else:
            assert decision == ALLOW, name


def test_a_refused_call_is_refused_whatever_its_arguments(machine):
    program = build_filter(SeccompPolicy(), machine)
    for name in ALWAYS_EPERM | ALWAYS_ENOSYS:
        number = SYSCALLS[machine].get(name)
        if number is not None:
            decisions = {
                run_program(program, number, (value,) * 6, ARCH[machine])
                for value in (0, 1, 2**32, 2**64 - 1)
            }
            assert len(decisions) == 1, name
            assert decisions.pop() & 0xFFFF0000 == REFUSE, name


def test_every_refused_name_is_a_call_of_one_machine_at_least():
    known = {name for table in SYSCALLS.values() for name in table}
    assert known >= ALWAYS_EPERM | ALWAYS_ENOSYS


def test_numbers_nobody_has_thought_about_do_not_exist(machine):
    program = build_filter(SeccompPolicy(), machine)
    highest = max(SYSCALLS[machine].values())
    x32 = 0x40000000
    for number in (
        *range(highest + 1, highest + 200),
        512,
        547,
        x32,
        x32 + 1,
        x32 + 59,
        x32 + 520,
        0xFFFFFFFF,
    ):
        assert run_program(program, number, (), ARCH[machine]) == REFUSE | errno.ENOSYS, number


@pytest.mark.parametrize("arch", [I386, ARM, 0, 0xFFFFFFFF])
def test_another_calling_convention_is_killed(machine, arch):
    program = build_filter(SeccompPolicy(), machine)
    for number in (0, 1, 20, 120, 0x40000000):
        assert run_program(program, number, (), arch) == KILL


@pytest.mark.parametrize(
    "flag", [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]
)
def test_clone_makes_no_namespace(machine, flag):
    for rest in (0, 17, 0x3D0F00, HIGH_HALF):
        assert decide("clone", flag | rest, machine=machine) == REFUSE | errno.EPERM


def test_clone_makes_processes_and_threads():
    pthread_create = 0x3D0F00
    fork = 0x1200011
    assert decide("clone", pthread_create) == ALLOW
    assert decide("clone", fork) == ALLOW
    assert decide("vfork") == ALLOW


def test_without_fork_only_threads_start(machine):
    policy = SeccompPolicy(allow_fork=False)
    assert decide("clone", 0x3D0F00, policy=policy, machine=machine) == ALLOW
    assert decide("clone", 0x1200011, policy=policy, machine=machine) == REFUSE | errno.EPERM
    for name in {"fork", "vfork"} & SYSCALLS[machine].keys():
        assert decide(name, policy=policy, machine=machine) == REFUSE | errno.EPERM


def test_programs_start_only_when_allowed(machine):
    for name in ("execve", "execveat"):
        assert decide(name, machine=machine) == ALLOW
        refused = decide(name, policy=SeccompPolicy(allow_exec=False), machine=machine)
        assert refused == REFUSE | errno.EPERM


@pytest.mark.parametrize("allow_inet", [False, True])
def test_only_unix_sockets_and_granted_tcp_exist(machine, allow_inet):
    policy = SeccompPolicy(allow_inet=allow_inet)
    for family in range(64):
        for kind in (STREAM, DGRAM, RAW, SEQPACKET, STREAM | SOCK_CLOEXEC):
            for protocol in (0, 6, 17, 132, 262):
                decision = decide("socket", family, kind, protocol, policy=policy, machine=machine)
                tcp = family in {2, 10} and kind & 0xF == STREAM and protocol in {0, 6}
                expected = ALLOW if family == 1 or (allow_inet and tcp) else REFUSE | errno.EAFNOSUPPORT
                assert decision == expected, (family, kind, protocol)


@pytest.mark.parametrize("call", ["socket", "socketpair"])
def test_the_half_of_a_family_that_the_kernel_drops_hides_nothing(call):
    assert decide(call, 2 | 1 << 32, STREAM) == REFUSE | errno.EAFNOSUPPORT
    assert decide(call, 1 | 1 << 32, STREAM) == ALLOW


@pytest.mark.parametrize("request_code", [0x5412, 0x541C, 0x5423])
def test_terminal_tricks_are_refused_with_any_high_half(request_code):
    assert decide("ioctl", 0, request_code) == REFUSE | errno.EPERM
    assert decide("ioctl", 0, request_code | HIGH_HALF) == REFUSE | errno.EPERM
    assert decide("ioctl", request_code, 0x5401) == ALLOW


def test_personality_may_be_asked_and_reset_but_not_changed():
    assert decide("personality", 0xFFFFFFFF) == ALLOW
    assert decide("personality", 0) == ALLOW
    for persona in (0x0040000, 0x0400000, 8, 0x20000):
        assert decide("personality", persona) == REFUSE | errno.EPERM


@pytest.mark.parametrize(
    ("call", "place"), [("chmod", 1), ("fchmod", 1), ("fchmodat", 2), ("fchmodat2", 2), ("creat", 1)]
)
def test_set_id_bits_are_not_given(machine, call, place):
    if call not in SYSCALLS[machine]:
        # arm64 never had the calls without a folder's descriptor.
        assert machine == "aarch64"
        return
    for mode in (0o4755, 0o2755, 0o6777, 0o4000):
        assert decide(call, *[0] * place, mode, machine=machine) == REFUSE | errno.EPERM
    for mode in (0o755, 0o1777, 0):
        assert decide(call, *[0] * place, mode, machine=machine) == ALLOW


@pytest.mark.parametrize(("call", "place"), [("open", 1), ("openat", 2)])
def test_no_file_is_born_with_set_id_bits(call, place):
    for flags in (os.O_CREAT, os.O_TMPFILE, os.O_CREAT | os.O_WRONLY | os.O_EXCL):
        assert decide(call, *[0] * place, flags, 0o4755) == REFUSE | errno.EPERM
        assert decide(call, *[0] * place, flags, 0o644) == ALLOW


def test_the_mode_of_an_open_that_creates_nothing_is_not_read():
    leftover_in_the_register = 0o6777
    for flags in (os.O_RDONLY, os.O_RDWR | os.O_CLOEXEC, os.O_RDONLY | os.O_DIRECTORY):
        assert decide("openat", 0, 0, flags, leftover_in_the_register) == ALLOW


@pytest.mark.parametrize(("call", "place"), [("mknod", 1), ("mknodat", 2)])
def test_devices_are_not_made_and_fifos_are(call, place):
    for kind in (stat.S_IFCHR, stat.S_IFBLK):
        assert decide(call, *[0] * place, kind | 0o666) == REFUSE | errno.EPERM
        assert decide(call, *[0] * place, kind | 0o666 | HIGH_HALF) == REFUSE | errno.EPERM
    for kind in (stat.S_IFIFO, stat.S_IFREG, stat.S_IFSOCK, 0):
        assert decide(call, *[0] * place, kind | 0o600) == ALLOW
        assert decide(call, *[0] * place, kind | 0o4600) == REFUSE | errno.EPERM


@pytest.mark.parametrize("call", ["memfd_create", "shmget"])
def test_memory_that_belongs_to_no_process_is_had_only_when_allowed(machine, call):
    assert decide(call, machine=machine) == REFUSE | errno.ENOSYS
    assert decide(call, policy=SeccompPolicy(allow_loose_memory=True), machine=machine) == ALLOW


@pytest.mark.parametrize(
    "call", ["sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler"]
)
def test_threads_are_placed_only_when_allowed(machine, call):
    assert decide(call, machine=machine) == REFUSE | errno.EPERM
    assert decide(call, policy=SeccompPolicy(allow_placement=True), machine=machine) == ALLOW


POLICIES = st.builds(
    SeccompPolicy, allow_inet=st.booleans(), allow_exec=st.booleans(), allow_fork=st.booleans()
)


@given(
    policy=POLICIES,
    machine=st.sampled_from(sorted(MACHINES)),
    number=st.one_of(st.integers(0, 600), st.integers(0, 2**32 - 1)),
    arch=st.sampled_from([*ARCH.values(), I386, ARM]),
    arguments=st.lists(st.integers(0, 2**64 - 1), max_size=6),
)
def test_any_call_ends_in_one_of_the_filters_answers(policy, machine, number, arch, arguments):
    decision = run_program(build_filter(policy, machine), number, arguments, arch)
    answers = {ALLOW, KILL, *(REFUSE | code for code in (errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT))}
    assert decision in answers


@given(policy=POLICIES, machine=st.sampled_from(sorted(MACHINES)))
def test_every_path_of_the_program_goes_forward_and_ends_in_it(policy, machine):
    instructions = list(struct.iter_unpack("=HBBI", build_filter(policy, machine)))
    for position, (code, yes, no, value) in enumerate(instructions):
        targets = {0x05: [value], 0x06: []}.get(code, [yes, no] if code & 0x07 == 0x05 else [0])
        assert all(position + 1 + offset < len(instructions) for offset in targets)
    assert len(instructions) < _bpf.MAX_INSTRUCTIONS


def test_deciding_a_call_takes_few_steps():
    program = build_filter(SeccompPolicy(), "x86_64")
    tests_on_the_longest_path = 0
    for number in SYSCALLS["x86_64"].values():
        steps = _steps(program, number)
        tests_on_the_longest_path = max(tests_on_the_longest_path, steps)
    assert tests_on_the_longest_path <= 16


def _steps(program, number):
    instructions = list(struct.iter_unpack("=HBBI", program))
    position, accumulator, steps = 0, 0, 0
    data = struct.pack("<IIQ6Q", number, ARCH["x86_64"], 0, *[1] * 6)
    while True:
        code, yes, no, value = instructions[position]
        position, steps = position + 1, steps + 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif code == 0x06:
            return steps
        elif code == 0x05:
            position += value
        elif code == 0x54:
            accumulator &= value
        else:
            holds = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: accumulator & value != 0}[
                code
            ]
            position += yes if holds else no


def test_a_machine_without_a_table_is_refused_by_name():
    with pytest.raises(ValueError, match="riscv64"):
        build_filter(SeccompPolicy(), "riscv64")


def test_this_machine_is_known_or_none():
    expected = os.uname().machine if os.uname().machine in MACHINES else None
    assert current_machine() == expected


def test_a_block_longer_than_a_short_jump_is_reached_by_a_long_one():
    far = tuple(_bpf.Instruction(0x54, 0, 0, 0xFFFFFFFF) for _ in range(300)) + _bpf.returning(ALLOW)
    program = _bpf.encode(_bpf.with_number(_bpf.when(_bpf.EQUAL, 7, far, _bpf.returning(KILL))))
    assert run_program(program, 7) == ALLOW
    assert run_program(program, 8) == KILL


def test_a_program_the_kernel_would_not_take_is_refused():
    with pytest.raises(ValueError, match="4097"):
        _bpf.encode(_bpf.returning(ALLOW) * 4097)

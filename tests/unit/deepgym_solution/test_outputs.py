"""Files that the solution wrote are read as what they are, and tricks are refused without waiting."""

import ctypes
import errno
import os
import socket
import stat
import sys
import threading
import time

import pytest

from deepgym_solution import _outputs
from deepgym_solution._outputs import read_output, read_output_bytes
from deepgym_solution.errors import SolutionError

REAL_SYSCALL = _outputs._syscall


@pytest.fixture(params=["at once", "step by step"])
def way(request, monkeypatch):
    """Both ways to open a file: openat2, and the walk for kernels and filters that refuse it."""
    if request.param == "step by step":
        monkeypatch.setattr(_outputs, "_syscall", lambda: None)
    elif not has_openat2():
        pytest.skip("this kernel has no openat2, or a filter refuses it")
    return request.param


def has_openat2():
    if sys.platform != "linux":
        return False
    folder = os.open("/", os.O_RDONLY)
    try:
        os.close(_outputs._open_at_once(folder, ["etc"]))
    except OSError as error:
        return error.errno not in _outputs._TAKE_THE_LONG_WAY
    finally:
        os.close(folder)
    return True


pytestmark = pytest.mark.usefixtures("way")


@pytest.fixture
def cwd(tmp_path):
    folder = tmp_path / "box"
    folder.mkdir()
    (tmp_path / "secret").write_text("the key")
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "secret").write_text("the key")
    return folder


@pytest.fixture(autouse=True)
def no_descriptor_is_left_open():
    before = set(os.listdir("/dev/fd"))
    yield
    assert set(os.listdir("/dev/fd")) == before


def refuse(path, cwd, **options):
    started = time.monotonic()
    with pytest.raises(SolutionError) as caught:
        read_output_bytes(path, cwd, **options)
    assert time.monotonic() - started < 5
    assert "the key" not in str(caught.value)
    return caught.value


# --- Honest -----------------------------------------------------------------------------------------------


def test_a_file_is_read_by_relative_and_absolute_path(cwd, tmp_path):
    (cwd / "a" / "b").mkdir(parents=True)
    (cwd / "a" / "b" / "out.txt").write_bytes("é\r\n".encode())
    for path in (
        "a/b/out.txt",
        cwd / "a/b/out.txt",
        "./a//b/out.txt",
        "a/x/../b/out.txt",
        f"{cwd}/a/./b/out.txt",
    ):
        assert read_output(path, cwd) == "é\r\n"
        assert read_output_bytes(path, str(cwd)) == "é\r\n".encode()
    link = tmp_path / "link"
    link.symlink_to(cwd)
    assert read_output(link / "a/b/out.txt", link) == "é\r\n"  # the verifier may name its folder as it likes
    assert read_output(cwd / "a/b/out.txt", link) == "é\r\n"


def test_a_relative_cwd_works(cwd, monkeypatch):
    (cwd / "out").write_text("x")
    monkeypatch.chdir(cwd.parent)
    assert read_output("out", "box") == "x"
    assert read_output(cwd / "out", "box") == "x"


def test_an_empty_file_and_one_of_exactly_the_limit_are_read(cwd):
    (cwd / "empty").write_text("")
    (cwd / "full").write_text("x" * 10)
    assert read_output("empty", cwd) == ""
    assert read_output("empty", cwd, limit_bytes=0) == ""
    assert read_output("full", cwd, limit_bytes=10) == "x" * 10


def test_a_large_file_is_read(cwd):
    (cwd / "out").write_bytes(b"x" * 5_000_000)
    assert len(read_output_bytes("out", cwd)) == 5_000_000


def test_a_name_with_undecodable_bytes_is_read(cwd):
    (cwd / "caf\udce9").write_text("x")
    assert read_output("caf\udce9", cwd) == "x"


# --- Missing and wrong ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["out", "folder/out", "folder/..//out"])
def test_a_missing_file_is_both_a_solution_error_and_a_file_not_found_error(cwd, path):
    error = refuse(path, cwd)
    assert isinstance(error, FileNotFoundError)
    assert str(error) == f"the output {path!r} does not exist"


def test_text_that_is_not_utf8_is_a_solution_error_that_is_also_a_unicode_decode_error(cwd):
    (cwd / "out").write_bytes(b"ab\xff")
    with pytest.raises(SolutionError, match="not UTF-8 text: invalid start byte at byte 2") as caught:
        read_output("out", cwd)
    assert isinstance(caught.value, UnicodeDecodeError)
    assert read_output_bytes("out", cwd) == b"ab\xff"


@pytest.mark.parametrize("path", ["../secret", "a/../../secret", "..", "/etc/passwd", "out\0x"])
def test_a_path_outside_of_the_folder_is_refused(cwd, path):
    error = refuse(path, cwd)
    assert isinstance(error, ValueError)
    assert "not inside the solution's folder" in str(error)


def test_an_absolute_path_beside_the_folder_is_refused(cwd, tmp_path):
    refuse(tmp_path / "secret", cwd)
    (tmp_path / "box2").write_text("the key")
    refuse(tmp_path / "box2", cwd)


def test_a_missing_folder_is_the_callers_own_mistake(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        read_output("out", tmp_path / "gone")
    assert not isinstance(caught.value, SolutionError)


# --- Tricks -----------------------------------------------------------------------------------------------


def test_symlinks_anywhere_on_the_way_are_refused(cwd, tmp_path):
    (cwd / "real").mkdir()
    (cwd / "real" / "out").write_text("mine")
    (cwd / "to_secret").symlink_to(tmp_path / "secret")
    (cwd / "to_inside").symlink_to("real/out")
    (cwd / "to_folder").symlink_to("real")
    (cwd / "to_vault").symlink_to(tmp_path / "vault")
    (cwd / "real" / "up").symlink_to("..")
    (cwd / "loop").symlink_to("loop")
    (cwd / "dangling").symlink_to("nowhere")
    for path in (
        "to_secret",
        "to_inside",
        "to_folder/out",
        "to_vault/secret",
        "real/up/real/out",
        "loop",
        "dangling",
    ):
        error = refuse(path, cwd)
        assert not isinstance(error, FileNotFoundError)


def test_a_magic_link_is_refused(cwd):
    (cwd / "proc").symlink_to("/proc/self/root")
    refuse("proc/etc/passwd", cwd)


def test_a_hard_link_to_a_file_outside_is_refused(cwd, tmp_path):
    os.link(tmp_path / "secret", cwd / "out")
    assert "hard link" in str(refuse("out", cwd))


def test_a_fifo_is_refused_without_waiting_for_a_writer(cwd):
    os.mkfifo(cwd / "out")
    assert "not a regular file" in str(refuse("out", cwd))
    writer = os.open(cwd / "out", os.O_RDWR)
    try:
        assert "not a regular file" in str(refuse("out", cwd))
    finally:
        os.close(writer)


def test_sockets_folders_and_files_in_the_way_are_refused(cwd, monkeypatch):
    monkeypatch.chdir(cwd)  # the address of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock")
        assert "not a regular file" in str(refuse("sock", cwd))
    (cwd / "folder").mkdir()
    assert "not a regular file" in str(refuse("folder", cwd))
    assert "not a regular file" in str(refuse(".", cwd))
    (cwd / "file").write_text("x")
    assert "not a folder" in str(refuse("file/out", cwd))
    assert "too long" in str(refuse("n" * 300, cwd))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make devices")
def test_a_device_is_refused(cwd):
    try:
        os.mknod(cwd / "zero", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("this container may not make devices")
    refuse("zero", cwd)


def test_a_file_that_may_not_be_read_is_refused(cwd):
    (cwd / "out").write_text("x")
    (cwd / "out").chmod(0)
    if os.geteuid() == 0:
        assert read_output("out", cwd) == "x"  # nothing is closed to root
    else:
        assert "may not be read" in str(refuse("out", cwd))


def test_a_sparse_giant_is_refused_without_reading_it(cwd):
    with open(cwd / "out", "wb") as file:
        file.truncate(1 << 40)
    assert "larger than the 67,108,864 bytes" in str(refuse("out", cwd))
    assert "larger than the 10 bytes" in str(refuse("out", cwd, limit_bytes=10))


def test_a_file_that_grows_after_it_was_measured_is_refused(cwd, monkeypatch):
    (cwd / "out").write_text("x" * 10)
    real = os.fstat

    def measure_then_grow(descriptor):
        status = real(descriptor)
        with open(cwd / "out", "a") as file:
            file.write("y" * 100)
        return status

    monkeypatch.setattr(_outputs.os, "fstat", measure_then_grow)
    assert "larger than the 20 bytes" in str(refuse("out", cwd, limit_bytes=20))


def test_a_file_that_is_exchanged_all_the_time_is_never_read_through(cwd, tmp_path):
    """A thread swaps the file and the folder for links to the secret as fast as it can."""
    good, evil = tmp_path / "good", tmp_path / "evil"
    (cwd / "d").mkdir()
    (cwd / "d" / "secret").write_text("mine")
    stop = threading.Event()

    def swap():
        while not stop.is_set():
            os.symlink(tmp_path / "vault", evil)
            os.rename(cwd / "d", good)
            os.rename(evil, cwd / "d")
            os.unlink(cwd / "d")
            os.rename(good, cwd / "d")

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen = set()
    try:
        for _ in range(3000):
            try:
                seen.add(read_output("d/secret", cwd))
            except SolutionError as error:
                seen.add(type(error).__name__)
    finally:
        stop.set()
        swapper.join()
    assert "the key" not in seen
    assert len(seen) > 1  # the race took place


# --- The machine ------------------------------------------------------------------------------------------


def test_a_failure_of_the_machine_is_not_blamed_on_the_solution(cwd, monkeypatch):
    def exhausted(_folder, _parts):
        raise OSError(errno.EMFILE, "too many open files")

    monkeypatch.setattr(_outputs, "_open_beneath", exhausted)
    with pytest.raises(OSError, match="too many open files") as caught:
        read_output("out", cwd)
    assert not isinstance(caught.value, SolutionError)


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EPERM])
def test_where_openat2_is_refused_the_walk_takes_over(cwd, monkeypatch, code):
    def refused(*_args):
        ctypes.set_errno(code)
        return -1

    monkeypatch.setattr(_outputs, "_syscall", lambda: refused)
    (cwd / "out").write_text("x")
    assert read_output("out", cwd) == "x"


def test_openat2_is_not_tried_on_other_systems(monkeypatch):
    monkeypatch.setattr(_outputs.sys, "platform", "darwin")
    assert REAL_SYSCALL.__wrapped__() is None

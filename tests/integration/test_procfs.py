"""What a host learns of the processes it watches, on real ones."""

import os
import signal
import subprocess
import sys

import pytest

from deepgym_solution import _procfs

MIB = 1024 * 1024
READY = "print('ready', flush=True)\nimport time\ntime.sleep(60)\n"


@pytest.fixture
def start():
    started = []

    def run(code):
        argv = [sys.executable, "-c", code + READY]
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, start_new_session=True)
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return process.pid

    yield run
    for process in started:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def test_children_of_every_thread_are_found(start):
    code = (
        "import os, threading, time\n"
        "def fork():\n"
        "    pid = os.fork()\n"
        "    if pid == 0: time.sleep(60)\n"
        "    started.set()\n"
        "    time.sleep(60)\n"
        "started = threading.Event()\n"
        "threading.Thread(target=fork, daemon=True).start()\n"
        "started.wait()\n"
    )
    pid = start(code)
    assert len(_procfs.children_of(pid)) == 1
    assert len(_procfs.descendants(pid)) == 2


def test_own_memory_counts(start):
    pid = start("block = b'x' * (100 << 20)\n")
    assert _procfs.uses_more_than(pid, 90 * MIB)
    assert not _procfs.uses_more_than(pid, 200 * MIB)


SHARED = "import mmap, os, time\nblock = mmap.mmap(-1, 100 << 20)\nblock.write(b'x' * (100 << 20))\n"


def test_memory_shared_by_mappings_counts(start):
    pid = start(SHARED)
    assert _procfs.uses_more_than(pid, 90 * MIB)


def test_memory_shared_by_mappings_counts_once(start):
    children = (
        "reader, writer = os.pipe()\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        sum(block[at] for at in range(0, len(block), 4096))\n"
        "        os.write(writer, b'x')\n"
        "        time.sleep(60)\n"
        "for _ in range(3): os.read(reader, 1)\n"
    )
    pid = start(SHARED + children)
    # Each of the four has all 100 MiB mapped.
    assert len(_procfs.descendants(pid)) == 4
    assert not _procfs.uses_more_than(pid, 200 * MIB)


def test_a_process_that_forbids_looking_counts_all_the_same(start):
    forbid = "import ctypes\nctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\n"
    pid = start(SHARED + forbid)
    assert _procfs.uses_more_than(pid, 90 * MIB)


def test_processor_time_of_children_counts(start):
    code = (
        "import os, time\n"
        "for _ in range(2):\n"
        "    if os.fork() == 0:\n"
        "        while time.process_time() < 0.3: pass\n"
        "        os._exit(0)\n"
        "    os.wait()\n"
    )
    cpu, _ = _procfs.process_times(start(code))
    assert cpu >= 0.55


def test_a_process_that_is_gone_uses_nothing():
    process = subprocess.Popen(["/bin/true"])
    process.wait()
    assert not _procfs.uses_more_than(process.pid, 0)
    assert _procfs.children_of(process.pid) == []
    assert _procfs.process_times(process.pid) == (0.0, 0.0)

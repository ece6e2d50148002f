"""What honest Python does, behind the filter: python honest_program.py UID. It prints one word when all of it works."""

import asyncio
import concurrent.futures
import mmap
import multiprocessing
import os
import pickle
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading

from deepgym_solution._isolation import seccomp


def square(number):
    return number * number


def threads():
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(square, range(50))) == [n * n for n in range(50)]
    done = threading.Event()
    threading.Thread(target=done.set).start()
    assert done.wait(10)


def processes():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(square, range(20)) == [n * n for n in range(20)]
    shared = multiprocessing.get_context("fork").Value("i", 0)
    with shared.get_lock():
        shared.value += 1
    said = subprocess.run(["/bin/sh", "-c", "echo one; exit 3"], capture_output=True, check=False)
    assert (said.returncode, said.stdout) == (3, b"one\n")
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 4"], {})
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 4
    assert os.waitstatus_to_exitcode(os.system("exit 5")) == 5


def event_loop():
    async def converse():
        process = await asyncio.create_subprocess_exec("/bin/echo", "two", stdout=subprocess.PIPE)
        said, _ = await process.communicate()
        return said, await asyncio.gather(
            *(asyncio.sleep(0, n) for n in range(5)), asyncio.to_thread(square, 7)
        )

    assert asyncio.run(converse()) == (b"two\n", [0, 1, 2, 3, 4, 49])


def files(folder):
    path = os.path.join(folder, "file")
    with open(path, "wb") as handle:
        pickle.dump({"a": [1, 2.5]}, handle)
    os.chmod(path, 0o755)
    os.rename(path, path + "2")
    os.symlink(path + "2", path)
    os.mkfifo(os.path.join(folder, "fifo"))
    assert stat.S_ISFIFO(os.stat(os.path.join(folder, "fifo")).st_mode)
    with open(path, "rb") as handle:
        assert pickle.load(handle) == {"a": [1, 2.5]}
    with sqlite3.connect(os.path.join(folder, "base")) as base:
        base.execute("create table t (n)")
        base.execute("insert into t values (7)")
        assert base.execute("select n from t").fetchone() == (7,)
    base.close()
    with tempfile.TemporaryFile(dir=folder) as handle:
        handle.write(b"x")
    with mmap.mmap(-1, 4096) as block:
        block[:2] = b"ab"


def sockets(folder):
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(os.path.join(folder, "socket"))
        server.listen()
        client.connect(os.path.join(folder, "socket"))
    one, other = socket.socketpair()
    with one, other:
        one.sendall(b"x")
        assert other.recv(1) == b"x"


def libraries():
    try:
        import numpy as np
    except ImportError:
        return
    matrix = np.arange(10_000.0).reshape(100, 100)
    assert (matrix @ np.eye(100) == matrix).all()


def everything():
    with tempfile.TemporaryDirectory() as folder:
        files(folder)
        sockets(folder)
    threads()
    processes()
    event_loop()
    libraries()


def main():
    uid = int(sys.argv[1])
    # Once without the filter: the control, which also imports what the user may not be able to read.
    everything()
    if uid != os.getuid():
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    seccomp.install_filter(seccomp.build_filter(seccomp.SeccompPolicy(), seccomp.current_machine()))
    everything()
    sys.stdout.write("fine")


if __name__ == "__main__":
    main()

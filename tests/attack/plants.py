"""What an attack may find on the caller's machine: secrets in every place where a caller could have one.

The same plants stand there with and without the wall. `Plants().values` are the placeholders that the corpus uses,
as @@NAME@@ in an attack's source.
"""

import contextlib
import ctypes
import os
import secrets
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading

from deepgym_solution._isolation._syscalls import SYSCALLS

MARKER = "dg-attack"
LEFTOVER = "dg-leftover"  # the name that an attack's lingering processes take
_IPC_CREAT, _IPC_RMID = 0o1000, 0
_USER_KEYRING = -4

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.shmat.restype = ctypes.c_void_p


def _system_call(name, *arguments):
    return _libc.syscall(ctypes.c_long(SYSCALLS[os.uname().machine][name]), *arguments)


class Plants:
    """Everything planted; `close` removes it again."""

    def __init__(self, secret, run_file=""):
        self.secret = secret
        self._undo = contextlib.ExitStack()
        tag = f"{MARKER}-{secrets.token_hex(4)}"
        self.values = {"RUN_FILE": run_file, "TAG": tag}
        self._plant_files(tag)
        self._plant_sockets(tag)
        self._plant_ipc(tag)
        self._plant_victim()

    def close(self):
        self._undo.close()

    def victim_lives(self):
        """Whether nobody ended or stopped the caller's other process, and it can be started anew."""
        lives = self.victim.poll() is None
        with contextlib.suppress(OSError), open(f"/proc/{self.victim.pid}/stat", encoding="ascii") as stream:
            lives = lives and stream.read().rpartition(")")[2].split()[0] not in {"T", "t", "Z"}
        return lives

    def _plant_files(self, tag):
        for name, folder in (("TMP", "/tmp"), ("VARTMP", "/var/tmp"), ("SHM", "/dev/shm")):
            path = tempfile.mkdtemp(prefix=f"{tag}-", dir=folder)
            self._undo.callback(shutil.rmtree, path, ignore_errors=True)
            os.chmod(path, 0o755)
            self._write(f"{name}_FILE", os.path.join(path, "secret.txt"))
            self.values[f"{name}_FOLDER"] = path
        self._write("HOME_FILE", os.path.join(os.path.expanduser("~"), f"{tag}.txt"))
        self._write("SHM_OBJECT", f"/dev/shm/{tag}")

    def _write(self, name, path):
        with open(path, "w", encoding="ascii") as stream:
            stream.write(self.secret)
        os.chmod(path, 0o644)
        self.values[name] = path
        self._undo.callback(lambda: os.path.exists(path) and os.unlink(path))

    def _plant_sockets(self, tag):
        tcp = socket.create_server(("127.0.0.1", 0))
        self.values["PORT"] = str(tcp.getsockname()[1])
        self._serve(tcp)
        everywhere = socket.create_server(("", 0))
        self.values["PORT_EVERYWHERE"] = str(everywhere.getsockname()[1])
        self._serve(everywhere)
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", 0))
        self.values["UDP_PORT"] = str(udp.getsockname()[1])
        self._serve(udp)
        path = socket.socket(socket.AF_UNIX)
        path.bind(self.values["TMP_FOLDER"] + "/socket")
        os.chmod(self.values["TMP_FOLDER"] + "/socket", 0o666)
        path.listen()
        self.values["UNIX_PATH"] = self.values["TMP_FOLDER"] + "/socket"
        self._serve(path)
        for name, kind in (("ABSTRACT", socket.SOCK_STREAM), ("ABSTRACT_DATAGRAM", socket.SOCK_DGRAM)):
            abstract = socket.socket(socket.AF_UNIX, kind)
            self.values[name] = f"{tag}-{kind}"
            abstract.bind("\0" + self.values[name])
            if kind == socket.SOCK_STREAM:
                abstract.listen()
            self._serve(abstract)

    def _serve(self, server):
        """Answer everybody with the secret."""

        def answer():
            while True:
                try:
                    if server.type == socket.SOCK_DGRAM:
                        _, sender = server.recvfrom(100)
                        if sender:
                            server.sendto(self.secret.encode(), sender)
                        continue
                    peer, _ = server.accept()
                    with peer:
                        peer.sendall(self.secret.encode())
                except OSError:
                    return

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()

        def stop():
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            server.close()

        self._undo.callback(stop)

    def _plant_ipc(self, tag):
        key = secrets.randbelow(1 << 30) + 1
        segment = _libc.shmget(key, 4096, _IPC_CREAT | 0o666)
        if segment >= 0:
            address = _libc.shmat(segment, None, 0)
            ctypes.memmove(address, self.secret.encode(), len(self.secret))
            self._undo.callback(_libc.shmctl, segment, _IPC_RMID, None)
            self._undo.callback(_libc.shmdt, ctypes.c_void_p(address))
        queue = _libc.msgget(key, _IPC_CREAT | 0o666)
        if queue >= 0:
            self._undo.callback(_libc.msgctl, queue, _IPC_RMID, None)
            for _ in range(4):
                _libc.msgsnd(queue, struct.pack("l64s", 1, self.secret.encode()), 64, 0)
        description = f"{tag}-key".encode()
        _system_call("add_key", b"user", description, self.secret.encode(), len(self.secret), _USER_KEYRING)
        self.values |= {"SYSV_KEY": str(key), "KEY_NAME": description.decode(), "MQ_NAME": f"/{tag}"}
        attributes = (ctypes.c_long * 8)(0, 4, 128)
        name = tag.encode()
        descriptor = _system_call("mq_open", name, os.O_CREAT | os.O_RDWR, 0o666, ctypes.byref(attributes))
        if descriptor >= 0:
            self._undo.callback(_system_call, "mq_unlink", name)
            for _ in range(4):
                _system_call("mq_timedsend", descriptor, self.secret.encode(), len(self.secret), 0, None)
            os.close(descriptor)

    def _plant_victim(self):
        environment = {"DG_VICTIM_SECRET": self.secret}
        code = f"import time\nSECRET = {self.secret!r}\nprint(1, flush=True)\ntime.sleep(600)"
        argv = [sys.executable, "-S", "-c", code, self.secret]
        self.victim = subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, start_new_session=True)
        self.victim.stdout.readline()
        self.values["VICTIM"] = str(self.victim.pid)

        def stop():
            self.victim.kill()
            self.victim.wait()
            self.victim.stdout.close()

        self._undo.callback(stop)

    def replace_victim(self):
        """Start the caller's other process anew after an attack ended it."""
        self.victim.kill()
        self.victim.wait()
        self.victim.stdout.close()
        self._plant_victim()

"""The HTTP half that the E2B and Daytona servers share: threads, recording, faults."""

import contextlib
import itertools
import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from tests.loopback.box import Box
from tests.loopback.faults import Fault, Faults


@dataclass
class Request:
    method: str
    path: str
    query: dict
    headers: dict
    body: bytes
    route: str = ""

    def json(self):
        return json.loads(self.body)

    def parts(self) -> list[tuple[str, str, bytes]]:
        """The parts of a multipart/form-data body: (name, filename, content)."""
        boundary = self.headers["content-type"].split("boundary=")[1].strip('"').encode()
        found = []
        for piece in self.body.split(b"--" + boundary)[1:-1]:
            head, _, content = piece[2:].partition(b"\r\n\r\n")
            disposition = next(
                line for line in head.decode().split("\r\n") if line.lower().startswith("content-disposition")
            )
            values = dict(item.strip().split("=", 1) for item in disposition.split(";")[1:])
            found.append(
                (values["name"].strip('"'), unquote(values.get("filename", "").strip('"')), content[:-2])
            )
        return found


@dataclass
class Reply:
    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: dict = field(default_factory=dict)
    stream: Iterator[bytes] | None = None

    @classmethod
    def of(cls, value, status=200, **headers) -> "Reply":
        return cls(status, json.dumps(value).encode(), headers=headers)


class HttpServer:
    """A provider on 127.0.0.1. Subclasses name a request's route and answer it."""

    def __init__(self):
        self.faults = Faults()
        self.requests: list[Request] = []
        self.boxes: dict[str, Box] = {}
        self.made: list[Box] = []
        self.closing = threading.Event()
        self.numbers = itertools.count(1)
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def handle(self):
                with contextlib.suppress(ConnectionError):
                    super().handle()

            def do_GET(self):
                server._serve(self)

            do_POST = do_PUT = do_DELETE = do_GET

            def log_message(self, *args):
                pass

        class Threads(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 512

        self._http = Threads(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def route(self, request: Request) -> str:
        raise AssertionError("a subclass names its routes")

    def answer(self, request: Request, fault: Fault | None) -> Reply:
        raise AssertionError("a subclass answers")

    def box_of(self, request: Request) -> Box | None:
        """The box that a request is about, for the faults that end it."""
        raise AssertionError("a subclass knows its boxes")

    def asked(self, route: str) -> list[Request]:
        return [request for request in self.requests if request.route == route]

    def close(self) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()
        for box in list(self.made):
            box.kill()

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        url = urlsplit(handler.path)
        length = int(handler.headers.get("content-length") or 0)
        if "chunked" in handler.headers.get("transfer-encoding", ""):
            body = _read_chunks(handler.rfile)
        else:
            body = handler.rfile.read(length)
        headers = {key.lower(): value for key, value in handler.headers.items()}
        query = {key: values[0] for key, values in parse_qs(url.query, keep_blank_values=True).items()}
        request = Request(handler.command, unquote(url.path), query, headers, body)
        request.route = self.route(request)
        self.requests.append(request)
        fault = self.faults.take(request.route)
        action = fault.action if fault else ""
        if action == "hang":
            self.closing.wait()
        if action in {"hang", "drop_before"}:
            return _cut(handler)
        if action == "status":
            reply = Reply(
                fault.status,
                fault.body.encode(),
                "text/html" if fault.body.startswith("<") else "application/json",
                fault.headers,
            )
            return _send(handler, reply, cut=False)
        if action == "late":
            self.closing.wait(fault.seconds)
        if action in {"expire", "expire_later"}:
            box = self.box_of(request)
            threading.Timer(fault.seconds if action == "expire_later" else 0, box.kill).start()
            if action == "expire":
                while box.alive:
                    self.closing.wait(0.01)
        reply = self.answer(request, fault)
        if action == "drop_after":
            for _ in reply.stream or ():
                pass
            return _cut(handler)
        return _send(handler, reply, cut=action == "cut")


def _read_chunks(stream) -> bytes:
    body = b""
    while size := int(stream.readline().split(b";")[0], 16):
        body += stream.read(size)
        stream.readline()
    stream.readline()
    return body


def _cut(handler) -> None:
    handler.close_connection = True
    with contextlib.suppress(OSError):
        handler.wfile.flush()
        handler.connection.shutdown(socket.SHUT_RDWR)


def _send(handler, reply: Reply, *, cut: bool) -> None:
    handler.send_response(reply.status)
    handler.send_header("content-type", reply.content_type)
    for name, value in reply.headers.items():
        handler.send_header(name, value)
    if reply.stream is None:
        handler.send_header("content-length", str(len(reply.body)))
        handler.end_headers()
        handler.wfile.write(reply.body[: len(reply.body) // 2] if cut else reply.body)
        handler.wfile.flush()
        return _cut(handler) if cut else None
    handler.send_header("transfer-encoding", "chunked")
    handler.end_headers()
    for number, piece in enumerate(reply.stream):
        # The first piece says that the program was started; the cut comes with its first output or its end.
        if cut and number == 1:
            reply.stream.close()
            return _cut(handler)
        handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        handler.wfile.flush()
    handler.wfile.write(b"0\r\n\r\n")
    handler.wfile.flush()
    return None

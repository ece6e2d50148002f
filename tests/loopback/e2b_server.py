"""E2B on loopback: its REST control plane and the Connect services of its boxes, built from the SDK's own messages."""

import datetime as dt
import json
import os
import struct
import subprocess
import threading
from base64 import b64decode
from urllib.parse import parse_qsl, unquote

from e2b.api.client.models import Error, ListedSandbox, NewSandboxV2, Sandbox, SandboxState
from e2b.envd.client_shared import ENVD_JSON_CODEC
from e2b.envd.process.process_pb import ProcessEvent, StartRequest, StartResponse
from protobuf import Oneof

from tests.loopback.box import Box, kill_program, shell_code
from tests.loopback.http_server import HttpServer, Reply, Request

ENVD_VERSION = "0.6.3"
TEMPLATES = {"base", "python", "nopython"}


def _error(status: int, message: str) -> Reply:
    return Reply.of(Error(code=status, message=message).to_dict(), status)


def _frame(message, flag=0) -> bytes:
    data = message if isinstance(message, bytes) else ENVD_JSON_CODEC.encode(message)
    return struct.pack(">BI", flag, len(data)) + data


def _event(kind: str, value) -> bytes:
    return _frame(StartResponse(event=ProcessEvent(event=Oneof(kind, value))))


class E2BServer(HttpServer):
    """`environment()` is what points the SDK here."""

    key = "e2b_" + "0" * 40

    def environment(self) -> dict[str, str]:
        return {"E2B_API_KEY": self.key, "E2B_API_URL": self.url, "E2B_SANDBOX_URL": self.url}

    def route(self, request: Request) -> str:
        path = request.path.split("/")
        match request.method, path[1:]:
            case "POST", ["v2", "sandboxes"]:
                return "create"
            case "GET", ["v2", "sandboxes"]:
                return "list"
            case "DELETE", ["sandboxes", _]:
                return "destroy"
            case "GET", ["health"]:
                return "alive"
            case "POST", ["files"]:
                return "put"
            case "GET", ["files"]:
                return "get"
            case "POST", ["process.Process", "Start"]:
                # The adapter's chmod is part of putting files; only the other commands are a run.
                return "chmod" if b"chmod" in request.body else "exec"
        return "other"

    def box_of(self, request: Request) -> Box | None:
        return self.boxes.get(request.headers.get("e2b-sandbox-id", ""))

    def answer(self, request: Request, fault) -> Reply:
        if request.route in {"create", "list", "destroy"}:
            if request.headers.get("x-api-key") != self.key:
                return _error(401, "Invalid API key")
            return getattr(self, f"_{request.route}")(request, fault)
        box = self.box_of(request)
        if box is None or not box.alive:
            return Reply.of({"sandboxId": "x", "message": "The sandbox was not found", "code": 502}, 502)
        if request.route == "alive":
            return Reply(204)
        if request.route in {"put", "get"}:
            return getattr(self, f"_{request.route}")(box, request)
        if request.route in {"exec", "chmod"}:
            return Reply(content_type="application/connect+json", stream=self._start(box, request, fault))
        return Reply.of({"code": "unimplemented", "message": request.path}, 404)

    def _create(self, request: Request, fault) -> Reply:
        asked = NewSandboxV2.from_dict(request.json())
        if asked.template_id not in TEMPLATES:
            return _error(404, f"template '{asked.template_id}' not found")
        number = f"i{next(self.numbers):018d}"
        closed = asked.allow_internet_access is False and not (fault and fault.action == "open_network")
        box = Box(
            number, network=not closed, labels=dict(asked.metadata), python=asked.template_id != "nopython"
        ).start()
        self.made.append(box)
        self.boxes[number] = box
        reply = Sandbox(
            asked.template_id, number, "client", ENVD_VERSION, envd_access_token="token", domain=None
        )
        return Reply.of(reply.to_dict(), 201)

    def _list(self, request: Request, _fault) -> Reply:
        # The SDK quotes each word, then the whole, then the query.
        pairs = parse_qsl(request.query.get("metadata", ""))
        wanted = {unquote(name): unquote(value) for name, value in pairs}
        now = dt.datetime.now(dt.UTC)
        rows = [
            ListedSandbox(
                "base",
                box.id,
                "client",
                now,
                now,
                2,
                512,
                1024,
                SandboxState.RUNNING,
                ENVD_VERSION,
                metadata=box.labels,
            )
            for box in self.boxes.values()
            if box.alive and wanted.items() <= box.labels.items()
        ]
        limit, start = int(request.query.get("limit", 100)), int(request.query.get("nextToken") or 0)
        more = {"x-next-token": str(start + limit)} if len(rows) > start + limit else {}
        return Reply.of([row.to_dict() for row in rows[start : start + limit]], 200, **more)

    def _destroy(self, request: Request, _fault) -> Reply:
        box = self.boxes.pop(request.path.split("/")[-1], None)
        if box is None or not box.alive:
            return _error(404, "sandbox not found")
        box.kill()
        return Reply(204)

    def _put(self, box: Box, request: Request) -> Reply:
        written = []
        for _, filename, content in request.parts():
            path = request.query.get("path") or filename
            box.write(path, content, user=request.query.get("username", "user"))
            written.append({"name": os.path.basename(path), "type": "file", "path": path})
        return Reply.of(written)

    def _get(self, box: Box, request: Request) -> Reply:
        try:
            return Reply(200, box.read(request.query["path"]), "application/octet-stream")
        except FileNotFoundError as error:
            return Reply.of({"code": 404, "message": f"path '{error}' does not exist"}, 404)

    def _start(self, box: Box, request: Request, fault):
        asked = ENVD_JSON_CODEC.decode(request.body[5:], StartRequest())
        user = (
            b64decode(request.headers.get("authorization", "Basic dXNlcjo=").split()[1]).decode().rstrip(":")
        )
        config = asked.process
        program = box.popen(
            [config.cmd, *config.args], user=user, cwd=config.cwd or None, env=dict(config.envs)
        )
        yield _event("start", ProcessEvent.StartEvent(pid=program.pid))
        timer = None
        limit_ms = int(request.headers.get("connect-timeout-ms", 0))
        if limit_ms:
            # The service kills the command itself; what the command started lives on.
            timer = threading.Timer(limit_ms / 1000, kill_program, [program], {"tree": False})
            timer.start()
        try:
            for name, data in _output(program):
                yield _event("data", ProcessEvent.DataEvent(output=Oneof(name, data)))
            code = program.wait()
        finally:
            if timer:
                timer.cancel()
        if not box.alive:
            yield _frame(
                json.dumps({"error": {"code": "unavailable", "message": "connection lost"}}).encode(), 2
            )
            return
        if not (fault and fault.action == "no_end"):
            yield _event("end", _end(code))
        yield _frame(b"{}", 2)


def _end(code: int):
    if code < 0:
        return ProcessEvent.EndEvent(
            exit_code=-1, exited=False, status="signal: killed", error="signal: killed"
        )
    code = shell_code(code)
    return ProcessEvent.EndEvent(exit_code=code, exited=True, status=f"exit status {code}")


def _output(program: subprocess.Popen):
    """Both streams of a program as they come, in pieces, until both have ended."""
    import selectors

    with selectors.DefaultSelector() as selector:
        selector.register(program.stdout, selectors.EVENT_READ, "stdout")
        selector.register(program.stderr, selectors.EVENT_READ, "stderr")
        while selector.get_map():
            for key, _ in selector.select():
                data = os.read(key.fd, 32768)
                if data:
                    yield key.data, data
                else:
                    selector.unregister(key.fileobj)

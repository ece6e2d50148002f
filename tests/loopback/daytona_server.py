"""Daytona on loopback: its REST API and the toolbox of its boxes, replies built from the SDK's own models."""

import json
import subprocess

from daytona_api_client.models import CreateSandbox, ListSandboxesResponse, Sandbox, SandboxState
from daytona_toolbox_api_client.models import ExecuteResponse

from tests.loopback.box import Box, kill_program, shell_code
from tests.loopback.http_server import HttpServer, Reply, Request

SNAPSHOTS = {"daytona-small", "python", "nopython"}


def _error(status: int, message: str, source: str = "DAYTONA_API", code: str = "") -> Reply:
    body = {
        "statusCode": status,
        "message": message,
        "path": "/",
        "timestamp": "2026-01-01T00:00:00Z",
        "source": source,
    }
    return Reply.of(body | ({"code": code} if code else {}), status)


class DaytonaServer(HttpServer):
    """`environment()` is what points the SDK here."""

    key = "dtn_" + "0" * 40

    def environment(self) -> dict[str, str]:
        return {
            "DAYTONA_API_KEY": self.key,
            "DAYTONA_API_URL": f"{self.url}/api",
            "DAYTONA_TARGET": "us",
        }

    def route(self, request: Request) -> str:
        match request.method, request.path.strip("/").split("/"):
            case "POST", ["api", "sandbox"]:
                return "create"
            case "GET", ["api", "sandbox"]:
                return "list"
            case "GET", ["api", "sandbox", _]:
                return "alive"
            case "DELETE", ["api", "sandbox", _]:
                return "destroy"
            case "POST", ["toolbox", _, "files", "bulk-upload"]:
                return "put"
            case "POST", ["toolbox", _, "files", "bulk-download"]:
                return "get"
            case "POST", ["toolbox", _, "process", "execute"]:
                # The adapter's chmod is part of putting files; only the other commands are a run.
                return "chmod" if b"chmod" in request.body else "exec"
        return "other"

    def box_of(self, request: Request) -> Box | None:
        return next((self.boxes[part] for part in request.path.split("/") if part in self.boxes), None)

    def answer(self, request: Request, fault) -> Reply:
        if request.headers.get("authorization") != f"Bearer {self.key}":
            return _error(401, "Invalid credentials")
        if request.route == "create":
            return self._create(request, fault)
        if request.route == "list":
            return self._list(request)
        if request.route == "other":
            return _error(404, f"Cannot {request.method} {request.path}")
        box = self.box_of(request)
        if request.path.startswith("/toolbox"):
            if box is None or not box.alive:
                return _error(502, "bad gateway: the sandbox runtime is not reachable", "DAYTONA_PROXY")
            return getattr(self, f"_{request.route}")(box, request)
        if box is None:
            return _error(404, "Sandbox not found")
        if request.route == "destroy":
            if not box.alive:
                return _error(404, "Sandbox not found")
            box.kill()
        return Reply.of(self._described(box))

    def _described(self, box: Box) -> dict:
        state = SandboxState.STARTED if box.alive else SandboxState.DESTROYED
        model = Sandbox(
            id=box.id, organization_id="org", name=box.id, user=box.user, env={}, labels=box.labels, public=False,
            network_block_all=not box.network, kvm=False, target="us", cpu=1, gpu=0, memory=1, disk=3, state=state,
            toolbox_proxy_url=f"{self.url}/toolbox",
        )  # fmt: skip
        return json.loads(model.to_json())

    def _create(self, request: Request, fault) -> Reply:
        asked = CreateSandbox.from_json(request.body.decode())
        if asked.build_info is None and asked.snapshot not in SNAPSHOTS | {None}:
            return _error(400, f"Snapshot {asked.snapshot} not found")
        image = asked.build_info.dockerfile_content if asked.build_info else asked.snapshot or ""
        number = f"00000000-0000-4000-8000-{next(self.numbers):012d}"
        closed = asked.network_block_all and not (fault and fault.action == "open_network")
        box = Box(
            number, network=not closed, labels=dict(asked.labels), python="nopython" not in image
        ).start()
        box.user = asked.user or "user"
        self.made.append(box)
        self.boxes[number] = box
        return Reply.of(self._described(box))

    def _list(self, request: Request) -> Reply:
        wanted = json.loads(request.query.get("labels", "{}"))
        rows = [
            self._described(box)
            for box in self.boxes.values()
            if box.alive and wanted.items() <= box.labels.items()
        ]
        limit, start = int(request.query.get("limit", 100)), int(request.query.get("cursor") or 0)
        cursor = str(start + limit) if len(rows) > start + limit else None
        page = ListSandboxesResponse.from_dict({"items": rows[start : start + limit], "nextCursor": cursor})
        return Reply.of(json.loads(page.to_json()))

    def _put(self, box: Box, request: Request) -> Reply:
        for name, filename, content in request.parts():
            if name.endswith(".file"):
                box.write(filename, content, user=box.user)
        return Reply.of({})

    def _get(self, box: Box, request: Request) -> Reply:
        (path,) = request.json()["paths"]
        try:
            name, kind, content = "file", "application/octet-stream", box.read(path)
        except FileNotFoundError:
            error = {
                "statusCode": 404,
                "message": f"file not found: {path}",
                "code": "FILE_NOT_FOUND",
                "source": "DAYTONA_DAEMON",
            }
            name, kind, content = "error", "application/json", json.dumps(error).encode()
        head = f'--bound\r\ncontent-disposition: form-data; name="{name}"; filename="{path}"\r\ncontent-type: {kind}\r\n\r\n'
        return Reply(
            200, head.encode() + content + b"\r\n--bound--\r\n", "multipart/form-data; boundary=bound"
        )

    def _chmod(self, box: Box, request: Request) -> Reply:
        return self._exec(box, request)

    def _exec(self, box: Box, request: Request) -> Reply:
        asked = request.json()
        # As the real daemon does: the command is what the shell reads on its standard input, and both streams are one.
        program = box.popen(
            ["bash"],
            user=box.user,
            cwd=asked.get("cwd"),
            env=asked.get("envs"),
            stdin=subprocess.PIPE,
            merge=True,
        )
        try:
            output, _ = program.communicate(asked["command"].encode(), timeout=asked.get("timeout"))
        except subprocess.TimeoutExpired:
            kill_program(program, tree=True)
            program.communicate()
            return _error(408, "command execution timeout", "DAYTONA_DAEMON", "PROCESS_EXECUTION_TIMEOUT")
        if not box.alive:
            return _error(502, "bad gateway: the sandbox runtime is not reachable", "DAYTONA_PROXY")
        code = -1 if program.returncode < 0 else shell_code(program.returncode)
        reply = ExecuteResponse(exit_code=code, result=output.decode(errors="replace"))
        return Reply.of(json.loads(reply.to_json()))

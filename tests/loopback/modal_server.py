"""Modal on loopback: its two gRPC services with the SDK's own `modal_proto`, in a thread with its own event loop.

Only the methods that a sandbox needs are there; every other one answers UNIMPLEMENTED. Every call is
recorded with its request.
"""

import asyncio
import base64
import functools
import itertools
import json
import subprocess
import threading
import time
from dataclasses import dataclass, field

from grpclib.const import Status
from grpclib.exceptions import GRPCError
from grpclib.server import Server
from modal_proto import api_pb2 as api
from modal_proto import task_command_router_pb2 as router
from modal_proto.api_grpc import ModalClientBase
from modal_proto.task_command_router_grpc import TaskCommandRouterBase

from deepgym.backends._streams import READ, UNPACK
from tests.loopback.box import Box, kill_program
from tests.loopback.faults import Faults


def _token() -> str:
    payload = base64.urlsafe_b64encode(json.dumps({"exp": time.time() + 3600}).encode()).decode().rstrip("=")
    return f"e30.{payload}.sig"


@dataclass
class Call:
    route: str
    method: str
    request: object


@dataclass
class Running:
    """One program of a box: what it wrote so far, and whether it ended."""

    program: subprocess.Popen
    written: dict = field(default_factory=lambda: {0: bytearray(), 1: bytearray()})
    open: set = field(default_factory=lambda: {0, 1})
    more: threading.Condition = field(default_factory=threading.Condition)
    stdin_bytes: int = 0

    def pump(self, number, stream):
        while data := stream.read1(65536):
            with self.more:
                self.written[number] += data
                self.more.notify_all()
        stream.close()
        with self.more:
            self.open.discard(number)
            self.more.notify_all()

    def read(self, number, offset) -> bytes:
        """What there is from an offset on; waits for it; nothing at the end."""
        with self.more:
            self.more.wait_for(lambda: len(self.written[number]) > offset or number not in self.open)
            return bytes(self.written[number][offset : offset + 65536])


class ModalServer:
    """`environment()` is what points the SDK here."""

    def __init__(self):
        self.faults = Faults()
        self.requests: list[Call] = []
        self.boxes: dict[str, Box] = {}
        self.made: list[Box] = []
        self.definitions: dict[str, object] = {}
        self.running: dict[str, Running] = {}
        self.numbers = itertools.count(1)
        self._loop = asyncio.new_event_loop()
        self._closing = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)

    async def _listen(self):
        services = [
            _service(ModalClientBase, self, _Api(self)),
            _service(TaskCommandRouterBase, self, _Router(self)),
        ]
        self._server = Server(services)
        await self._server.start("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server._server.sockets[0].getsockname()[1]}"

    def environment(self) -> dict[str, str]:
        return {
            "MODAL_SERVER_URL": self.url,
            "MODAL_TOKEN_ID": "ak-loopback",
            "MODAL_TOKEN_SECRET": "as-loopback",
            "MODAL_CONFIG_PATH": "/nonexistent/modal.toml",
        }

    def asked(self, route: str) -> list:
        return [call.request for call in self.requests if call.route == route]

    def close(self) -> None:
        async def stop():
            self._closing.set()
            self._server.close()
            for transport in list(self._loop._transports.values()):
                transport.abort()
            rest = asyncio.all_tasks() - {asyncio.current_task()}
            for task in rest:
                task.cancel()
            await asyncio.gather(*rest, return_exceptions=True)
            # An aborted transport closes its socket on the loop's next rounds.
            await asyncio.sleep(0.05)

        for box in self.made:
            box.kill()
        asyncio.run_coroutine_threadsafe(stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def box(self, sandbox_or_task_id: str) -> Box:
        box = self.boxes.get(sandbox_or_task_id.replace("ta-", "sb-").removesuffix("V"))
        if box is None or not box.alive:
            raise GRPCError(Status.NOT_FOUND, f"{sandbox_or_task_id} not found")
        return box

    async def serve(self, methods, name: str, stream) -> None:
        """Answer one call: record it, meet its fault, run the method of that name."""
        request = None if name == "TaskExecStdinWriteStream" else await stream.recv_message()
        route = _route(name, request)
        self.requests.append(Call(route, name, request))
        fault = self.faults.take(route)
        action = fault.action if fault else ""
        if action == "hang":
            await self._closing.wait()
        if action in {"hang", "drop_before"}:
            return stream._stream._transport.abort()
        if action == "status":
            if isinstance(fault.status, str):
                raise GRPCError(Status[fault.status], fault.body)
            await stream._stream.send_headers([(":status", str(fault.status)), ("content-type", "text/html")])
            return await stream._stream.send_data(fault.body.encode(), end_stream=True)
        if action == "late":
            await asyncio.sleep(fault.seconds)
        if action == "expire":
            await asyncio.to_thread(self.box(request.task_id).kill)
        if action == "expire_later":
            threading.Timer(fault.seconds, self.box(request.task_id).kill).start()
        method = getattr(methods, name, None)
        if method is None:
            raise GRPCError(Status.UNIMPLEMENTED, name)
        if name == "TaskExecStdioRead":
            async for piece in method(request):
                if action == "cut":
                    return stream._stream._transport.abort()
                await stream.send_message(piece)
            return None
        reply = await method(stream if request is None else request, fault)
        if action in {"drop_after", "cut"}:
            return stream._stream._transport.abort()
        return await stream.send_message(reply)


def _route(name: str, request) -> str:
    if name == "TaskExecStart":
        # The adapter reads and writes files with programs of its own; only the others are a run.
        return "put" if UNPACK in request.command_args else "get" if READ in request.command_args else "exec"
    names = {
        "SandboxCreateV2": "create",
        "SandboxListV2": "list",
        "SandboxTerminateV2": "destroy",
        "SandboxWaitV2": "alive",
    }
    names |= {"AppGetOrCreate": "app", "TaskExecWait": "wait", "TaskExecStdioRead": "output"}
    return names.get(name, "other")


def _service(base, server: ModalServer, methods):
    """An instance of a generated service class whose every method goes through `serve`."""

    def bind(name):
        async def method(self, stream):
            await server.serve(methods, name, stream)

        return method

    return type(base.__name__, (base,), {name: bind(name) for name in base.__abstractmethods__})()


class _Api:
    def __init__(self, server: ModalServer):
        self.server = server

    async def ClientHello(self, _request, _fault):
        return api.ClientHelloResponse()

    async def AuthTokenGet(self, _request, _fault):
        return api.AuthTokenGetResponse(token=_token())

    async def AppGetOrCreate(self, _request, _fault):
        return api.AppGetOrCreateResponse(app_id="ap-1")

    async def EnvironmentGetOrCreate(self, _request, _fault):
        settings = api.EnvironmentSettings(image_builder_version="2025.06")
        metadata = api.EnvironmentMetadata(name="main", settings=settings)
        return api.EnvironmentGetOrCreateResponse(environment_id="en-1", metadata=metadata)

    async def ImageGetOrCreate(self, request, _fault):
        result = api.GenericResult(status=api.GenericResult.GENERIC_STATUS_SUCCESS)
        python = "im-nopython" if "nopython" in "".join(request.image.dockerfile_commands) else "im-1"
        return api.ImageGetOrCreateResponse(image_id=python, result=result)

    async def ImageFromId(self, request, _fault):
        return api.ImageFromIdResponse(image_id=request.image_id)

    async def SandboxCreateV2(self, request, fault):
        number = next(self.server.numbers)
        name = f"sb-{number}"
        blocked = api.NetworkAccess.NetworkAccessType.BLOCKED
        closed = request.definition.network_access.network_access_type == blocked
        closed = closed and not (fault and fault.action == "open_network")
        labels = {tag.tag_name: tag.tag_value for tag in request.tags}
        box = Box(
            name, network=not closed, labels=labels, python=request.definition.image_id != "im-nopython"
        )
        await asyncio.to_thread(box.start)
        self.server.boxes[name] = box
        self.server.made.append(box)
        access = api.CommandRouterAccess(jwt=_token(), url=self.server.url)
        return api.SandboxCreateV2Response(
            sandbox_id=name, task_id=f"ta-{number}V", command_router_access=access
        )

    async def SandboxGetCommandRouterAccess(self, _request, _fault):
        return api.SandboxGetCommandRouterAccessResponse(jwt=_token(), url=self.server.url)

    async def SandboxGetTaskIdV2(self, request, _fault):
        return api.SandboxGetTaskIdResponse(task_id=request.sandbox_id.replace("sb-", "ta-") + "V")

    async def SandboxWaitV2(self, request, _fault):
        box = self.server.boxes.get(request.sandbox_id)
        if box is None:
            raise GRPCError(Status.NOT_FOUND, "no such sandbox")
        if box.alive:
            return api.SandboxWaitResponse()
        status = api.GenericResult.GENERIC_STATUS_TERMINATED
        return api.SandboxWaitResponse(result=api.GenericResult(status=status, exitcode=137))

    async def SandboxTerminateV2(self, request, _fault):
        await asyncio.to_thread(self.server.box(request.sandbox_id).kill)
        return api.SandboxTerminateResponse()

    async def SandboxListV2(self, request, _fault):
        if request.before_timestamp:
            return api.SandboxListResponse()
        wanted = {tag.tag_name: tag.tag_value for tag in request.tags}
        found = [
            box for box in self.server.boxes.values() if box.alive and wanted.items() <= box.labels.items()
        ]
        return api.SandboxListResponse(
            sandboxes=[api.SandboxInfo(id=box.id, created_at=time.time()) for box in found]
        )

    async def SandboxTagsGetV2(self, request, _fault):
        labels = self.server.box(request.sandbox_id).labels
        return api.SandboxTagsGetResponse(
            tags=[api.SandboxTag(tag_name=k, tag_value=v) for k, v in labels.items()]
        )


class _Router:
    def __init__(self, server: ModalServer):
        self.server = server

    def _running(self, request) -> Running:
        self.server.box(request.task_id)
        if request.exec_id not in self.server.running:
            raise GRPCError(Status.NOT_FOUND, f"exec {request.exec_id} not found")
        return self.server.running[request.exec_id]

    async def TaskExecStart(self, request, _fault):
        box = self.server.box(request.task_id)
        # The id makes a start that is sent twice run once.
        if request.exec_id not in self.server.running:
            start = functools.partial(
                box.popen, list(request.command_args), cwd=request.workdir or "/", stdin=subprocess.PIPE
            )
            program = await asyncio.to_thread(start)
            running = self.server.running[request.exec_id] = Running(program)
            for number, stream in enumerate((program.stdout, program.stderr)):
                threading.Thread(target=running.pump, args=(number, stream), daemon=True).start()
            if request.timeout_secs:
                timer = threading.Timer(request.timeout_secs, kill_program, [program], {"tree": True})
                timer.daemon = True
                timer.start()
        return router.TaskExecStartResponse()

    async def TaskExecStdioRead(self, request):
        running = self._running(request)
        offset = request.offset
        while data := await asyncio.to_thread(running.read, request.file_descriptor, offset):
            offset += len(data)
            yield router.TaskExecStdioReadResponse(data=data)
        self.server.box(request.task_id)

    async def TaskExecStdinWrite(self, request, _fault):
        running = self._running(request)
        data = request.data[running.stdin_bytes - request.offset :]
        await asyncio.to_thread(_write, running.program, data, request.eof)
        running.stdin_bytes += len(data)
        return router.TaskExecStdinWriteResponse()

    async def TaskExecStdinWriteStream(self, stream, _fault):
        running = None
        async for message in stream:
            kind = (
                message.WhichOneof("payload")
                if hasattr(message, "payload")
                else message.ListFields()[0][0].name
            )
            if kind == "start":
                running = self._running(message.start)
            else:
                await asyncio.to_thread(_write, running.program, message.data, kind == "end")
                running.stdin_bytes += len(message.data)
        return router.TaskExecStdinWriteStreamResponse()

    async def TaskExecWait(self, request, fault):
        running = self._running(request)
        code = await asyncio.to_thread(running.program.wait)
        self.server.box(request.task_id)
        if fault and fault.action == "no_end":
            return router.TaskExecWaitResponse()
        return (
            router.TaskExecWaitResponse(signal=-code) if code < 0 else router.TaskExecWaitResponse(code=code)
        )


def _write(program, data: bytes, eof: bool) -> None:
    try:
        program.stdin.write(data)
        if eof:
            program.stdin.close()
        else:
            program.stdin.flush()
    except (BrokenPipeError, ValueError):
        pass

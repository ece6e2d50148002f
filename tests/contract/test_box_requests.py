"""What each provider is asked for: no network, limits, labels, an end; and what a caller is told who lacks something."""

import asyncio
import gc
import json

import pytest

from deepgym.backends.base import BoxSpec, Deadline
from deepgym.errors import BackendUnavailableError
from tests.loopback import places
from tests.support import require

SPEC = {"owner": "someone", "cpus": 2.0, "memory_mb": 1536, "disk_mb": 100, "pids": 99, "ttl_s": 120}


def create(here):
    spec = BoxSpec(**SPEC)

    async def main():
        box = await here.backend.create(spec, Deadline.after(60))
        await box.destroy(Deadline.after(60))
        await here.backend.close()

    asyncio.run(main())
    return spec


@pytest.fixture
def at(request, monkeypatch):
    name = request.function.__name__.split("_")[1]
    require(*places.why_missing(name))
    with places.place(name, monkeypatch) as place:
        yield place


def test_e2b_is_asked_for_a_closed_labelled_mortal_sandbox(at):
    spec = create(at)
    (request,) = at.server.asked("create")
    asked = request.json()
    assert asked["allow_internet_access"] is False
    assert asked["metadata"] == spec.labels
    assert asked["timeout"] == 120
    assert asked.get("autoPause") is False
    assert request.headers["idempotency-key"] == spec.name


def test_daytona_is_asked_for_a_closed_labelled_mortal_sandbox(at):
    spec = create(at)
    asked = at.server.asked("create")[0].json()
    assert asked["networkBlockAll"] is True
    assert spec.labels.items() <= asked["labels"].items()
    assert asked["ttlMinutes"] == 2
    assert asked["autoStopInterval"] == 2
    assert asked["autoDeleteInterval"] == 0
    assert asked["user"] == "root"


def test_daytona_is_asked_for_the_limits_where_it_builds_the_image(at):
    async def main():
        spec = BoxSpec(**SPEC, image="python:3.12-slim")
        box = await at.backend.create(spec, Deadline.after(60))
        await box.destroy(Deadline.after(60))
        await at.backend.close()

    asyncio.run(main())
    asked = at.server.asked("create")[0].json()
    assert (asked["cpu"], asked["memory"], asked["disk"]) == (2, 2, 2)
    assert "python:3.12-slim" in asked["buildInfo"]["dockerfileContent"]


def test_modal_is_asked_for_a_closed_labelled_mortal_sandbox(at):
    from modal_proto import api_pb2

    spec = create(at)
    (asked,) = at.server.asked("create")
    access = asked.definition.network_access
    assert access.network_access_type == api_pb2.NetworkAccess.NetworkAccessType.BLOCKED
    assert {tag.tag_name: tag.tag_value for tag in asked.tags} == spec.labels
    assert asked.definition.timeout_secs == 120
    resources = asked.definition.resources
    assert (resources.milli_cpu, resources.milli_cpu_max) == (2000, 2000)
    assert (resources.memory_mb, resources.memory_mb_max) == (1536, 1536)


def test_apple_is_asked_for_a_closed_labelled_mortal_machine(at):
    spec = create(at)
    (argv,) = at.server.asked("create")
    line = " ".join(argv)
    assert "--network none" in line
    assert "--cpus 2 --memory 1536M" in line
    assert "--read-only --tmpfs /tmp --tmpfs /deepgym" in line
    assert all(f"-l {name}={value}" in line for name, value in spec.labels.items())
    assert line.endswith("sleep 120")


def test_docker_is_asked_for_every_limit(at):
    import docker

    async def main():
        box = await at.backend.create(BoxSpec(**SPEC), Deadline.after(60))
        client = docker.from_env()
        found = client.api.inspect_container(box.id)
        client.close()
        await box.destroy(Deadline.after(60))
        await at.backend.close()
        return found

    found = asyncio.run(main())
    host = found["HostConfig"]
    assert host["NetworkMode"] == "none"
    assert host["ReadonlyRootfs"] is True
    assert host["CapDrop"] == ["ALL"]
    assert not {"SYS_ADMIN", "SYS_PTRACE", "NET_ADMIN", "NET_RAW", "MKNOD"} & {
        cap.removeprefix("CAP_") for cap in host["CapAdd"]
    }
    assert host["Privileged"] is False
    assert "no-new-privileges:true" in host["SecurityOpt"]
    (profile,) = [json.loads(option[8:]) for option in host["SecurityOpt"] if option.startswith("seccomp=")]
    allowed = {
        name for rule in profile["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]
    }
    assert not {"io_uring_setup", "ptrace", "unshare", "mount", "bpf", "keyctl"} & allowed
    assert host["PidsLimit"] == 99
    assert host["Memory"] == host["MemorySwap"] == 1536 * 1024 * 1024
    assert host["NanoCpus"] == 2_000_000_000
    assert set(host["Tmpfs"]) == {"/tmp", "/deepgym"}
    assert all("size=100m" in options for options in host["Tmpfs"].values())
    assert host["AutoRemove"] is True
    assert not host["Binds"]


CREDENTIALS = {
    "e2b": ["E2B_API_KEY"],
    "daytona": ["DAYTONA_API_KEY"],
    "modal": ["MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET"],
}


@pytest.mark.parametrize("name", CREDENTIALS)
def test_missing_credentials_are_named(name, monkeypatch, tmp_path):
    require(*places.why_missing(name))
    for variable in (*CREDENTIALS[name], "DAYTONA_JWT_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("MODAL_CONFIG_PATH", str(tmp_path / "none.toml"))
    with pytest.raises(BackendUnavailableError) as caught:
        places.make_backend(name)
    assert all(variable in str(caught.value) for variable in CREDENTIALS[name])


@pytest.mark.parametrize("name", ["e2b", "daytona", "modal", "docker"])
def test_a_missing_extra_is_named(name, monkeypatch):
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(BackendUnavailableError, match=rf'pip install "deepgym\[{name}\]"'):
        places.make_backend(name)


def test_the_missing_command_of_apple_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackendUnavailableError, match="container system start"):
        places.make_backend("apple")


@pytest.mark.parametrize("name", ["e2b", "daytona", "modal"])
def test_wrong_credentials_are_an_error_of_their_own(name, monkeypatch):
    require(*places.why_missing(name))
    with places.place(name, monkeypatch) as at:
        if name == "modal":
            at.server.faults.add("app", "status", status="UNAUTHENTICATED", body="bad token", times=9)
        else:
            at.server.key = "another"

        async def main():
            with pytest.raises(BackendUnavailableError):
                await at.backend.check(Deadline.after(20))
            with pytest.raises(places.SandboxInfraError) as caught:
                await at.backend.create(BoxSpec(owner="test"), Deadline.after(20))
            assert caught.value.kind == "auth"
            assert caught.value.retryable is False
            await at.backend.close()

        asyncio.run(main())


# The SDK leaves a socket open whose connecting was refused.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_engine_that_is_not_there_is_named(monkeypatch, tmp_path):
    require("docker", places.why_missing("docker")[1])
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nothing")

    async def main():
        backend = places.make_backend("docker")
        with pytest.raises(BackendUnavailableError, match="start the engine, or set DOCKER_HOST"):
            await backend.check(Deadline.after(20))
        with pytest.raises(places.SandboxInfraError) as caught:
            await backend.create(BoxSpec(owner="test"), Deadline.after(20))
        assert caught.value.kind == "unavailable"

    asyncio.run(main())
    gc.collect()

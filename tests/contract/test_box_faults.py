"""What goes wrong on the way to a provider is an error in our words, in bounded time, and leaves nothing behind."""

import asyncio
import gc
import time

import pytest

from deepgym.backends._deadline import settle_abandoned
from deepgym.backends.base import LABEL_NAME, BoxSpec, Deadline, File, SandboxInfraError
from tests.loopback import places
from tests.support import require

KINDS = {"unavailable", "auth", "quota", "create_failed", "lost", "timeout", "protocol"}

# How long a call is given here, and how much later it may return.
LIMIT_S = 1.5
GRACE_S = 5.0
# A call that does not hang may be slow on a busy machine.
PATIENT_S = 20.0

STATUS = [
    {"status": 500},
    {"status": 502},
    {"status": 503},
    {"status": 504},
    {"status": 404},
    {"status": 409},
    {"status": 413},
    {"status": 429, "headers": {"Retry-After": "1"}},
    {"status": 403, "body": '{"message": "Total CPU limit exceeded", "statusCode": 403}'},
]
FAULTS = [
    *[("create", "status", how) for how in STATUS],
    ("create", "hang", {}),
    ("create", "drop_before", {}),
    ("create", "drop_after", {}),
    ("create", "cut", {}),
    ("create", "late", {"seconds": LIMIT_S + 1}),
    *[("exec", "status", how) for how in STATUS],
    ("exec", "hang", {}),
    ("exec", "drop_before", {}),
    ("exec", "drop_after", {}),
    ("exec", "cut", {}),
    ("exec", "no_end", {}),
    ("exec", "expire", {}),
    ("exec", "expire_later", {"seconds": 0.1}),
    ("put", "status", {"status": 507}),
    ("put", "status", {"status": 500}),
    ("put", "hang", {}),
    ("put", "drop_before", {}),
    ("destroy", "status", {"status": 500}),
    ("destroy", "drop_before", {}),
]


def fault_id(fault):
    route, action, how = fault
    return "-".join(str(word) for word in (route, action, how.get("status", "")) if word)


@pytest.fixture(params=places.LOOPBACK)
def here(request, monkeypatch):
    require(*places.why_missing(request.param))
    monkeypatch.setenv("E2B_CONNECTION_RETRIES", "0")
    with places.place(request.param, monkeypatch) as place:
        yield place
    # Connections that were given up are collected here, and not in somebody else's test.
    gc.collect()


async def one_run(here, spec, limit_s):
    """Create, put, run, destroy, each in its own time; the program's output, or the error of the step that failed."""
    started = time.monotonic()
    box = None
    try:
        box = await here.backend.create(spec, Deadline.after(limit_s))
        await box.put([File("/deepgym/file", b"x")], Deadline.after(limit_s))
        argv = ["python3", "-c", "import time; time.sleep(0.3); print('ran')"]
        return await box.exec(argv, Deadline.after(limit_s), output_limit_bytes=1000), None
    except SandboxInfraError as error:
        return None, error
    finally:
        assert time.monotonic() - started < 3 * (limit_s + GRACE_S)
        if box is not None:
            try:
                await box.destroy(Deadline.after(limit_s))
            except SandboxInfraError:
                await here.backend.sweep(Deadline.after(PATIENT_S), where={LABEL_NAME: spec.name})


def run_with(here, route, action, how):
    here.server.faults.add(route, action, **how)
    if here.name == "modal" and action == "no_end":
        here.server.faults.add("wait", action)
    if here.name == "modal" and action == "cut":
        here.server.faults.add("output", action)

    async def main():
        spec = BoxSpec(owner="test")
        outcome = await one_run(here, spec, LIMIT_S if action in {"hang", "late"} else PATIENT_S)
        await settle_abandoned(2)
        await here.backend.sweep(Deadline.after(10), where={LABEL_NAME: spec.name})
        await here.backend.close()
        return outcome

    return asyncio.run(main())


# Clients leave connections behind that were cut under them; that is theirs.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("fault", FAULTS, ids=fault_id)
def test_a_fault_never_passes_for_a_result(here, fault):
    route, action, how = fault
    if here.name == "apple" and action in {"cut", "no_end"}:
        pytest.skip("a command has no stream that could be cut")
    result, error = run_with(here, route, action, how)
    assert here.server.faults.met, "the fault was never met: the test tests nothing"
    if error is not None:
        assert error.kind in KINDS
        assert error.detail
    else:
        # The client mended it, or it came when all was done; or it does not claim that all went well. (Apple's
        # command ends with 1 for itself as for a program: a verdict takes the runner's own frame.)
        assert result.exit_code != 0 or result.stdout == b"ran\n"
    if route != "destroy" and action in {"hang", "expire"}:
        assert error is not None
    assert places.left_boxes(here) == []


def test_after_a_fault_the_next_run_works(here):
    run_with(here, "create", "status", {"status": 400})
    assert here.server.faults.met
    result, error = run_with(here, "other", "late", {"seconds": 0})
    assert error is None
    assert result.stdout == b"ran\n"

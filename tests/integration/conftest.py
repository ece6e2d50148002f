"""Clients that all integration tests share: starting one takes longer than most tests."""

import os
import warnings

import pytest

from deepgym import DeepGym, Environment
from deepgym_solution._isolation.bwrap import find_bwrap
from tests.support import require

WAYS = ("nested", "pool")
_clients = {}
_FIRST = Environment(task="t", verifier_code="print('{\"score\": 1.0}')")


def client_for(way):
    """The client of one way to seal solutions, started once."""
    if way not in _clients:
        path, why = find_bwrap()
        require("bwrap", None if path else why)
        before = os.environ.get("DEEPGYM_LOCAL_WAY")
        os.environ["DEEPGYM_LOCAL_WAY"] = way
        try:
            client = DeepGym(mode="local")
            with warnings.catch_warnings():
                if way == "plain":
                    warnings.simplefilter("ignore", RuntimeWarning)
                client.run(_FIRST, "")  # starts the hosts in this way
        finally:
            os.environ.pop("DEEPGYM_LOCAL_WAY")
            if before is not None:
                os.environ["DEEPGYM_LOCAL_WAY"] = before
        _clients[way] = client
    return _clients[way]


def close_client(way):
    """End a client that was started; it starts anew when it is needed again."""
    if way in _clients:
        _clients.pop(way).close()


@pytest.fixture
def dg():
    """A client in the way that this machine's users mostly get."""
    return client_for("nested")


@pytest.fixture(params=WAYS)
def each_dg(request):
    """A client in each way that makes the same promise."""
    return client_for(request.param)


@pytest.fixture
def plain_dg():
    """A client without a wall."""
    return client_for("plain")


@pytest.fixture(scope="session", autouse=True)
def _close_clients():
    yield
    while _clients:
        _clients.popitem()[1].close()

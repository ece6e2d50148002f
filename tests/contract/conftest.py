"""The places that the contract of backends is checked at."""

import pytest

from tests.loopback import places
from tests.support import require


@pytest.fixture(params=places.NAMES)
def here(request, monkeypatch):
    """Each backend in turn; skipped with the reason where what is behind it cannot be had."""
    require(*places.why_missing(request.param))
    with places.place(request.param, monkeypatch) as place:
        yield place


@pytest.fixture(scope="session", autouse=True)
def _engine_ends_with_the_session():
    yield
    places.stop_shared_engine()

"""Live tests cost money and need accounts: `pytest tests/live --live e2b --live modal`."""

import pytest


def pytest_addoption(parser):
    parser.addoption(
        "--live", action="append", default=[], metavar="MODE", help="Run live tests of this mode."
    )


@pytest.fixture
def live_modes(request):
    return request.config.getoption("--live")

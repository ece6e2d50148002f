"""The conformance suite against the real providers, for those who have an account."""

import pytest

from deepgym import DeepGym
from deepgym.backends.conformance import run_conformance


@pytest.mark.parametrize("mode", ["modal", "e2b", "daytona", "apple", "docker"])
def test_the_real_provider_keeps_every_promise(mode, live_modes):
    if mode not in live_modes:
        pytest.skip(f"costs money or needs an account: pass --live {mode}")
    with DeepGym(mode) as client:
        rows = run_conformance(client)
    assert [row for row in rows if not row.passed] == []

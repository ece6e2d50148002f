"""What tests say about capabilities that a machine may lack."""

import os

import pytest


def require(name: str, missing: str | None) -> None:
    """Skip with the reason when a capability is missing; fail where `DEEPGYM_TEST_REQUIRE` names it.

    Args:
        name: The capability: bwrap, docker, remote.
        missing: Why it is not there, or None when it is.
    """
    if missing is None:
        return
    required = os.environ.get("DEEPGYM_TEST_REQUIRE", "").replace(",", " ").split()
    if name in required:
        pytest.fail(f"{name} is required here, and {missing}", pytrace=False)
    pytest.skip(f"needs {name}: {missing}")

"""What the tests that start a task's programs share."""

import pytest


@pytest.fixture(autouse=True)
def _empty_home(tmp_path_factory, monkeypatch):
    """Login shells read the profile of whoever runs the tests: here there is none."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))

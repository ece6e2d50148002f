"""The same wall and the same results for a caller without privileges."""

import os

import pytest

from deepgym_solution._isolation.bwrap import find_bwrap
from tests.attack.callers import UnprivilegedUser, this_user
from tests.integration.conftest import WAYS
from tests.support import require


@pytest.fixture(scope="module")
def user():
    path, why = find_bwrap()
    require("bwrap", None if path else why)
    if os.getuid() != 0:
        yield this_user()
        return
    made = UnprivilegedUser()
    try:
        caller = made.open()
        require("user", caller if isinstance(caller, str) else None)
        yield caller
    finally:
        made.close()


@pytest.mark.parametrize("way", WAYS)
def test_a_user_gets_the_same_wall_and_results(user, way):
    done = user.run("-m", "tests.integration.as_user", way, environment={}, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{way} holds\n"

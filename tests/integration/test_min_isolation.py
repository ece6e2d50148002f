"""Whose wall was it: every result names it, and an environment can demand one."""

import warnings

import pytest

from deepgym import DeepGym, Environment
from deepgym_solution._isolation import bwrap
from tests.support import require

RIGHT = "def double(x):\n    return 2 * x\n"


def environment(**options):
    code = "from deepgym_solution import load_solution\nreturn float(load_solution(solution_path).double(4) == 8)\n"
    return Environment(task="Write double(x).", verifier_code=code, **options)


@pytest.fixture
def client(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setenv("DEEPGYM_LOCAL_WAY", "plain")
    else:
        path, reason = bwrap.find_bwrap()
        require("bwrap", None if path else reason)
    with warnings.catch_warnings(), DeepGym() as client:
        warnings.simplefilter("ignore", RuntimeWarning)
        yield client


@pytest.mark.parametrize(
    ("client", "demanded"), [("plain", "sealed"), ("plain", "vm"), ("best", "vm")], indirect=["client"]
)
def test_a_run_under_a_weaker_wall_than_demanded_has_no_verdict(client, demanded):
    result = client.run(environment(min_isolation=demanded), RIGHT)
    assert (result.has_verdict, result.reward, result.error_type) == (False, None, "sandbox_error")
    assert demanded in result.details


@pytest.mark.parametrize(("client", "grade"), [("plain", "process"), ("best", "sealed")], indirect=["client"])
def test_the_result_names_the_wall(client, grade):
    result = client.run(environment(min_isolation=grade), RIGHT)
    assert (result.score, result.isolation) == (1.0, grade)
    assert result.isolation_detail


@pytest.mark.parametrize("client", ["plain"], indirect=True)
def test_no_wall_is_one_loud_warning(client):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        client.run(environment(), RIGHT)
        client.run(environment(), RIGHT)
    (said,) = caught
    assert said.category is RuntimeWarning
    assert "deepgym doctor" in str(said.message)

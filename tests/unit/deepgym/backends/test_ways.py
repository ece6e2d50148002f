"""Which ways to seal are tried, and that one asked for by name is had or refused."""

import pytest

from deepgym.backends.local.hosts import find_ways
from deepgym.errors import BackendUnavailableError, UsageError
from deepgym_solution._child import kernel
from deepgym_solution._isolation import bwrap


@pytest.fixture
def machine(monkeypatch):
    """A machine that has a bubblewrap and user namespaces, or lacks one of them."""

    def machine(*, path="/bin/bwrap", nests=True, wanted=None):
        monkeypatch.setattr(bwrap, "find_bwrap", lambda: (path, path or "there is no bwrap"))
        monkeypatch.setattr(kernel, "can_clone", lambda: nests)
        if wanted is None:
            monkeypatch.delenv("DEEPGYM_LOCAL_WAY", raising=False)
        else:
            monkeypatch.setenv("DEEPGYM_LOCAL_WAY", wanted)
        return [way.kind for way in find_ways()]

    return machine


@pytest.mark.parametrize("wanted", [None, ""])
def test_the_best_way_comes_first(machine, wanted):
    assert machine(wanted=wanted) == ["nested", "pool", "plain"]
    assert machine(wanted=wanted, nests=False) == ["pool", "plain"]
    assert machine(wanted=wanted, path=None) == ["plain"]


@pytest.mark.parametrize("wanted", ["nested", "pool", "plain"])
def test_a_way_that_is_named_is_the_only_one(machine, wanted):
    assert machine(wanted=wanted) == [wanted]


def test_a_way_that_is_named_and_missing_is_never_replaced_by_a_weaker_one(machine):
    with pytest.raises(BackendUnavailableError, match=r"DEEPGYM_LOCAL_WAY=pool .*there is no bwrap"):
        machine(wanted="pool", path=None)
    with pytest.raises(BackendUnavailableError, match=r"DEEPGYM_LOCAL_WAY=nested .*namespaces"):
        machine(wanted="nested", nests=False)


def test_a_way_that_does_not_exist_is_refused_with_those_that_do(machine):
    with pytest.raises(UsageError, match="'best' is no way: use 'nested', 'pool' or 'plain'"):
        machine(wanted="best")


def test_an_empty_name_of_a_bubblewrap_is_none(monkeypatch):
    monkeypatch.setenv("DEEPGYM_BWRAP", "/somewhere/bwrap")
    assert bwrap.candidates() == ["/somewhere/bwrap"]
    monkeypatch.setenv("DEEPGYM_BWRAP", "")
    assert "" not in bwrap.candidates()

"""How many cores: affinity and the quotas of control groups, of both versions."""

import os

import pytest

from deepgym._cores import usable_cores

AFFINITY = len(os.sched_getaffinity(0))


@pytest.fixture
def machine(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)))

    def cores(own, files):
        for name, content in files.items():
            path = tmp_path / "fs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        (tmp_path / "own").write_text(own)
        root = str(tmp_path / "fs")
        return usable_cores(root, str(tmp_path / "own"), (f"{root}/cpu",))

    return cores


def test_without_quotas_it_is_the_affinity(machine):
    assert machine("", {}) == 16
    assert machine("0::/\n", {"cpu.max": "max 100000\n"}) == 16


@pytest.mark.parametrize(("quota", "cores"), [("200000 100000", 2), ("150000 100000", 2), ("5000 100000", 1)])
def test_a_quota_of_version_2(machine, quota, cores):
    assert machine("0::/a/b\n", {"a/b/cpu.max": quota}) == cores


def test_a_quota_of_a_group_above_counts_too(machine):
    assert machine("0::/a/b\n", {"a/b/cpu.max": "800000 100000", "a/cpu.max": "300000 100000"}) == 3


def test_a_quota_of_version_1(machine):
    own = "5:cpuacct,cpu:/docker/x\n"
    files = {"cpu/docker/x/cpu.cfs_quota_us": "400000", "cpu/docker/x/cpu.cfs_period_us": "100000"}
    assert machine(own, files) == 4


def test_version_1_inside_a_container_sees_its_own_group_as_the_root(machine):
    files = {"cpu/cpu.cfs_quota_us": "250000", "cpu/cpu.cfs_period_us": "100000"}
    assert machine("5:cpu:/docker/x\n", files) == 3


@pytest.mark.parametrize("content", ["", "nonsense", "1 0", "-1 100000", "max"])
def test_what_makes_no_sense_is_no_quota(machine, content):
    assert machine("0::/\n", {"cpu.max": content}) == 16


def test_on_this_machine_it_is_between_one_and_the_affinity():
    assert 1 <= usable_cores() <= AFFINITY

"""The suite that is shipped for backends of other packages holds for all of ours, and finds one that cheats."""

import json

import pytest
from click.testing import CliRunner

from deepgym import DeepGym
from deepgym.backends.conformance import SCENARIOS, Row, run_conformance
from deepgym.cli import cli
from deepgym.models import RunResult
from tests.loopback import places
from tests.support import require


def test_the_local_backend_keeps_every_promise():
    with DeepGym() as client:
        rows = run_conformance(client)
    assert [row for row in rows if not row.passed] == []
    assert len(rows) == len(SCENARIOS) + 2


@pytest.mark.parametrize("name", places.NAMES)
def test_each_backend_keeps_every_promise(name, monkeypatch):
    require(*places.why_missing(name))
    with places.place(name, monkeypatch) as here:
        options = {"image": places.IMAGE} if name == "docker" else {}
        with DeepGym(name, backend_options=options) as client:
            rows = run_conformance(client)
        assert [row for row in rows if not row.passed] == []
        assert places.left_boxes(here) == []


class Cheater:
    """Says that everything is right."""

    def run(self, env, answer):
        return RunResult(score=1.0, passed=True, has_verdict=True)

    async def arun(self, env, answer):
        return self.run(env, answer)


def test_a_backend_that_says_yes_to_everything_is_found_out():
    rows = run_conformance(Cheater())
    broken = {row.scenario for row in rows if not row.passed}
    assert {"a wrong answer does not", "20 runs at once", "a cancelled run ends at once"} <= broken
    assert len(broken) > len(SCENARIOS) / 2


def test_the_command_prints_the_table_and_says_yes_or_no(monkeypatch):
    table = [Row("a", "g", True, "", 0.1), Row("b", "g", False, "why \x1b[2J", 0.1)]

    def fake(client, on_row):
        for row in table:
            on_row(row)
        return table

    monkeypatch.setattr("deepgym.backends.conformance.run_conformance", fake)
    shown = CliRunner().invoke(cli, ["conformance"])
    assert shown.exit_code == 1
    assert "1 of 2 promises kept" in shown.stdout
    assert "why \\x1b[2J" in shown.stdout
    as_json = CliRunner().invoke(cli, ["conformance", "--json"])
    assert json.loads(as_json.stdout)["kept"] == 1
    del table[1]
    assert CliRunner().invoke(cli, ["conformance"]).exit_code == 0
    assert CliRunner().invoke(cli, ["conformance", "--option", "x"]).exit_code == 2
    assert CliRunner().invoke(cli, ["conformance", "--mode", "nowhere"]).exit_code == 2

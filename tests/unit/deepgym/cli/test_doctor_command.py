"""The command around the report."""

import json

import pytest
from click.testing import CliRunner

import deepgym.doctor
from deepgym.cli import cli
from deepgym.doctor import Finding, Probe, Remedy, Report, Violation


def report(*outcomes):
    rows = [Violation(f"v{n}", "files", f"read thing {n}", "files", "f") for n in range(len(outcomes))]
    findings = tuple(
        Finding(row, outcome, "how", "control") for row, outcome in zip(rows, outcomes, strict=True)
    )
    probes = (Probe("kernel", "Linux", True), Probe("bubblewrap", "none", False))
    remedies = (Remedy("sudo apt-get install bubblewrap", "install it", "sealed"),)
    return Report("process", "plain", "a process", probes, findings, remedies, None, 2.0)


def run(monkeypatch, given, *arguments):
    monkeypatch.setattr(deepgym.doctor, "examine", lambda: given)
    return CliRunner().invoke(cli, ["doctor", *arguments])


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [(["stopped"] * 40, 0), (["stopped"] * 40 + ["went through"], 1), (["stopped"] * 40 + ["unknown"], 2)],
)
def test_the_exit_code_says_whether_the_wall_held(monkeypatch, outcomes, code):
    assert run(monkeypatch, report(*outcomes)).exit_code == code


def test_the_table_shows_each_attempt_the_grade_and_the_command(monkeypatch):
    shown = run(monkeypatch, report(*["stopped"] * 39, "went through", "left out")).stdout
    assert "read thing 39" in shown
    assert "39 of 41 stopped" in shown
    assert "39 of 40 violations were stopped; 1 went through" in shown
    assert "isolation: process" in shown
    assert "sudo apt-get install bubblewrap" in shown


def test_json_is_the_same_data(monkeypatch):
    given = report("stopped", "went through")
    data = json.loads(run(monkeypatch, given, "--json").stdout)
    assert data == given.as_json()

"""`deepgym check` finds each deliberately bad environment, by the right rule, and calls its repaired twin sound."""

import json

import pytest
from click.testing import CliRunner

from deepgym import DeepGym
from deepgym.cli import cli
from deepgym.errors import EnvironmentNotFoundError
from deepgym.models import RunResult
from deepgym.qa.check import check_target
from deepgym.qa.rules import RULES
from deepgym.qa.subject import find_targets
from tests.integration.bad_environments import GOOD, PAIRS, files, write_environment

# A machine that fails cannot be written into a folder; a client that says so stands in for it below.
WITHOUT_A_FOLDER = {"DG207"}


@pytest.fixture(scope="module")
def client():
    with DeepGym(mode="local") as client:
        yield client


def check(client, folder):
    (target,) = find_targets((str(folder),))
    return check_target(client, target)


def test_every_rule_of_check_has_a_bad_environment():
    assert set(PAIRS) | WITHOUT_A_FOLDER == {rule for rule in RULES if rule < "DG300"}


@pytest.mark.parametrize("rule", PAIRS)
def test_the_bad_environment_is_found_by_its_rule(client, tmp_path, rule):
    report = check(client, write_environment(tmp_path / "bad", PAIRS[rule][0]))
    found = {finding.rule: finding for finding in report.findings}
    assert rule in found, report.findings
    assert report.exit_code == (0 if RULES[rule].severity == "warning" else 1)
    assert found[rule].message
    assert found[rule].fix
    if rule.startswith("DG1"):
        assert found[rule].line
        assert found[rule].column


@pytest.mark.parametrize("rule", PAIRS)
def test_its_repaired_twin_is_sound(client, tmp_path, rule):
    report = check(client, write_environment(tmp_path / "repaired", PAIRS[rule][1]))
    assert [finding.to_json() for finding in report.findings] == []
    assert report.exit_code == 0


def test_a_machine_that_fails_leaves_the_question_open(tmp_path):
    class FailingClient:
        def run(self, env, model_output):
            return RunResult(
                score=0, passed=False, has_verdict=False, error_type="sandbox_error", details="lost"
            )

    report = check(FailingClient(), write_environment(tmp_path / "any", files(GOOD)))
    assert [finding.rule for finding in report.findings] == ["DG207"]
    assert report.exit_code == 2


def test_an_allowance_with_a_reason_takes_a_finding_off(client, tmp_path):
    source = PAIRS["DG103"][0]["verifier.py"]
    line = next(line for line in source.splitlines() if "got == 2 * x" in line)
    reasoned = source.replace(line, f"{line}  # deepgym: allow DG103 -- any number type is right")
    unreasoned = source.replace(line, f"{line}  # deepgym: allow DG103")
    assert check(client, write_environment(tmp_path / "a", files(reasoned))).exit_code == 0
    assert check(client, write_environment(tmp_path / "b", files(unreasoned))).exit_code == 1


def test_a_folder_of_environments_is_checked_as_a_set(tmp_path):
    write_environment(tmp_path / "set" / "good", files(GOOD))
    write_environment(tmp_path / "set" / "bad", PAIRS["DG108"][0])
    write_environment(tmp_path / "set" / "_shared", {"scoring.py": "X = 1\n"})
    result = CliRunner().invoke(cli, ["check", str(tmp_path / "set"), "--json"])
    reports = {report["name"]: report for report in json.loads(result.stdout)}
    assert {name: report["sound"] for name, report in reports.items()} == {"good": True, "bad": False}
    assert result.exit_code == 1
    assert [finding["rule"] for finding in reports["bad"]["findings"]] == ["DG108"]


def test_the_command_names_place_rule_and_fix(tmp_path):
    folder = write_environment(tmp_path / "bad", PAIRS["DG108"][0])
    result = CliRunner().invoke(cli, ["check", str(folder)])
    assert result.exit_code == 1
    assert "DG108" in result.stdout
    assert "verifier.py:" in result.stdout
    assert RULES["DG108"].fix in result.stdout


def test_a_path_that_is_no_environment_is_an_error_of_its_own(tmp_path):
    with pytest.raises(EnvironmentNotFoundError):
        find_targets((str(tmp_path / "nothing"),))
    assert CliRunner().invoke(cli, ["check", str(tmp_path / "nothing")]).exit_code == 2

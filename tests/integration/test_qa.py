"""`deepgym qa` finds each gameable environment, by the right rule, and lets its repaired twin be."""

import json

import pytest
from click.testing import CliRunner

from deepgym import DeepGym
from deepgym.cli import cli
from deepgym.qa.attacks import build_attacks
from deepgym.qa.interface import read_interface
from deepgym.qa.observation import observe
from deepgym.qa.quality import examine
from deepgym.qa.report import Options, QaReport
from deepgym.qa.rules import RULES
from deepgym.qa.runs import Runner
from deepgym.qa.subject import find_targets
from deepgym.scaffold import KINDS, write_scaffold
from tests.integration.bad_environments import write_environment
from tests.integration.gameable_environments import PAIRS, STRONG


@pytest.fixture(scope="module")
def client():
    with DeepGym(mode="local") as client:
        yield client


def subject_in(folder):
    (target,) = find_targets((str(folder),))
    return target.load()


def examined(client, folder, *parts):
    return examine(client, subject_in(folder), Options(parts=tuple(parts), max_mutants=20))


def test_every_rule_of_qa_has_a_gameable_environment():
    assert set(PAIRS) == {rule for rule in RULES if rule > "DG300"}


@pytest.mark.parametrize("rule", PAIRS)
def test_the_gameable_environment_is_found_by_its_rule(client, tmp_path, rule):
    parts, bad, _ = PAIRS[rule]
    report = examined(client, write_environment(tmp_path / "bad", bad), *parts)
    found = {finding.rule: finding for finding in report.findings}
    assert rule in found, report.findings
    assert not any(finding.rule < "DG300" for finding in report.findings), report.findings
    if RULES[rule].severity == "error":
        assert report.exit_code == 1


@pytest.mark.parametrize("rule", PAIRS)
def test_its_repaired_twin_is_let_be(client, tmp_path, rule):
    parts, _, repaired = PAIRS[rule]
    report = examined(client, write_environment(tmp_path / "repaired", repaired), *parts)
    assert rule not in {finding.rule for finding in report.findings}, report.findings
    assert report.exit_code == 0, report.findings


def test_a_cheat_that_works_is_shown_with_its_trace(client, tmp_path):
    report = examined(client, write_environment(tmp_path / "bad", PAIRS["DG301"][1]), "cheats")
    finding = next(finding for finding in report.findings if finding.rule == "DG301")
    assert "raise AssertionError" in finding.trace or "raise StopIteration" in finding.trace
    assert "def double" in finding.trace
    assert "score 1" in finding.trace


def test_a_survivor_is_shown_as_a_diff_with_an_input_that_tells_it_apart(client, tmp_path):
    report = examined(client, write_environment(tmp_path / "bad", PAIRS["DG303"][1]), "mutants")
    told = [fate for fate in report.kills.survivors if fate.shown_input]
    assert told
    assert all(fate.diff.count("\n+") >= 1 and fate.expected != fate.got for fate in told)
    assert report.kills.rate < 0.95
    low, high = report.kills.interval
    assert 0 <= low < report.kills.rate < high <= 1


@pytest.mark.parametrize("kind", KINDS)
def test_at_least_forty_cheats_are_fitted_to_every_kind_and_all_are_stopped(client, tmp_path, kind):
    write_scaffold(tmp_path / "my_task", kind)
    report = examined(client, tmp_path / "my_task", "cheats", "floor")
    assert len(report.attacks) >= 40
    assert len({row.name for row in report.attacks}) == len(report.attacks)
    assert [row for row in report.attacks if not row.stopped] == []
    assert report.measured_floor <= 0.1
    assert report.exit_code == 0, report.findings


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_environment_kills_mutants_and_takes_other_forms(client, tmp_path, kind):
    write_scaffold(tmp_path / "my_task", kind)
    report = examined(client, tmp_path / "my_task", "mutants", "forms", "steadiness")
    assert report.kills.rate >= 0.95
    assert report.forms
    assert report.accepted == len(report.forms)
    assert report.exit_code == 0, report.findings


def test_cheats_are_fitted_to_the_names_of_the_interface(client, tmp_path):
    write_scaffold(tmp_path / "my_task", "class")
    subject = subject_in(tmp_path / "my_task")
    interface = read_interface(subject, observe(Runner(client, subject.environment), subject))
    attack = next(item for item in build_attacks(interface, subject) if item.name == "always-equal")
    assert "class MyTask" in attack.answer
    for method in ("push", "pop", "largest"):
        assert f"def {method}(self" in attack.answer


def test_the_command_reports_json_pages_and_can_be_taken_up_again(tmp_path):
    write_environment(tmp_path / "set" / "strong", STRONG)
    write_environment(tmp_path / "set" / "weak", PAIRS["DG310"][1])
    options = [
        "--only",
        "cheats",
        "--html",
        str(tmp_path / "pages"),
        "--state",
        str(tmp_path / "state.jsonl"),
    ]
    first = CliRunner().invoke(cli, ["qa", str(tmp_path / "set"), "--json", "--jobs", "2", *options])
    assert first.exit_code == 1, first.output
    reports = {report["name"]: report for report in json.loads(first.stdout)}
    assert reports["strong"]["exit_code"] == 0
    assert reports["weak"]["exit_code"] == 1
    assert {path.name for path in (tmp_path / "pages").iterdir()} == {"strong.html", "weak.html"}
    again = CliRunner().invoke(cli, ["qa", str(tmp_path / "set"), "--json", *options])
    assert json.loads(again.stdout) == json.loads(first.stdout)
    (tmp_path / "set" / "weak" / "task.md").write_text(
        "Write `double(x)`, which returns twice the integer x.\n"
    )
    third = CliRunner().invoke(cli, ["qa", str(tmp_path / "set"), *options])
    assert third.exit_code == 1
    assert len((tmp_path / "state.jsonl").read_text().splitlines()) == 3
    assert "gameable" in third.stdout


def test_a_report_survives_json(client, tmp_path):
    report = examined(
        client, write_environment(tmp_path / "bad", PAIRS["DG303"][1]), "mutants", "floor", "steadiness"
    )
    data = json.loads(json.dumps(report.to_json()))
    assert json.loads(json.dumps(QaReport.from_json(data).to_json())) == data


def test_an_environment_that_does_not_load_is_a_report_too(tmp_path):
    write_environment(tmp_path / "broken", {**STRONG, "metadata.json": "{"})
    result = CliRunner().invoke(cli, ["qa", str(tmp_path / "broken"), "--json"])
    assert result.exit_code == 1
    assert [finding["rule"] for finding in json.loads(result.stdout)[0]["findings"]] == ["DG001"]

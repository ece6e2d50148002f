"""The rules and their page."""

import re

from deepgym.qa.finding import Finding, exit_code
from deepgym.qa.rule_page import render_rule_page
from deepgym.qa.rules import RULES


def test_the_published_page_is_made_from_the_rules(pytestconfig):
    page = pytestconfig.rootpath / "docs" / "reference" / "check-rules.md"
    assert page.read_text(encoding="utf-8") == render_rule_page()


def test_every_rule_has_an_id_a_reason_and_a_remedy():
    for name, rule in RULES.items():
        assert name == rule.id
        assert re.fullmatch(r"DG\d{3}", name)
        assert rule.title
        assert rule.why
        assert rule.fix


def test_errors_decide_before_what_could_not_be_told_and_warnings_do_not_count():
    error, unknown, warning = Finding("DG103", "a"), Finding("DG207", "b"), Finding("DG004", "c")
    assert exit_code([]) == 0
    assert exit_code([warning]) == 0
    assert exit_code([warning, unknown]) == 2
    assert exit_code([unknown, error]) == 1


def test_a_finding_survives_json_and_names_its_place():
    finding = Finding("DG103", "seen", "verifier.py", 3, 5, "trace")
    assert Finding.from_json(finding.to_json()) == finding
    assert finding.place == "verifier.py:3:5"
    assert Finding("DG201", "seen").place == ""

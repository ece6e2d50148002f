"""Mutants, made-up inputs, confidence intervals and text mutants: pure parts of `deepgym qa`."""

import ast

import pytest

from deepgym.models import Environment
from deepgym.qa.inputs import make_up_arguments, make_up_objects
from deepgym.qa.mutants import make_mutants
from deepgym.qa.observation import Objects
from deepgym.qa.strength import Fate, Kills, wilson_interval
from deepgym.qa.subject import Answer, Subject
from deepgym.qa.text_mutants import make_text_mutants

pytest.importorskip("libcst", reason="needs libcst: pip install 'deepgym[qa]'")

SOURCE = '''\
"""A docstring that stays."""


def count(items, limit=3):
    """Another."""
    found = 0
    for item in items[1:]:
        if item < limit and item != 2:
            found += 1
        else:
            continue
    return max(found, limit)


class Box:
    def __init__(self):
        self.items = []

    def put(self, item):
        self.items.append(item)
        if not item:
            raise ValueError("empty")
        return len(self.items) - 1
'''


def test_every_mutant_parses_differs_in_one_place_and_keeps_docstrings():
    for mutant in make_mutants(SOURCE, limit=1_000):
        ast.parse(mutant.source)
        assert mutant.source != SOURCE
        assert '"""A docstring that stays."""' in mutant.source
        assert '    """Another."""' in mutant.source
        changed = [line for line in mutant.diff.splitlines()[2:] if line.startswith(("+", "-"))]
        assert 1 <= len(changed) <= 8, mutant.diff


@pytest.mark.parametrize(
    ("operator", "line"),
    [
        ("operator", "            found -= 1"),
        ("boundary", "        if item <= limit and item != 2:"),
        ("comparison", "        if item < limit and item == 2:"),
        ("off by one", "    found = 1"),
        ("dropped branch", "        if False:"),
        ("dropped condition", "        if item < limit:"),
        ("swapped arguments", "    return max(limit, found)"),
        ("wrong type", "    return str(max(found, limit))"),
        ("stale state", "        pass"),
        ("missing return", "    return None"),
        ("wrong function", "    return min(found, limit)"),
        ("dropped error", "            pass"),
    ],
)
def test_each_kind_of_mistake_is_made(operator, line):
    made = [mutant for mutant in make_mutants(SOURCE, limit=1_000) if mutant.operator == operator]
    assert any(line in mutant.source.splitlines() for mutant in made), [mutant.diff for mutant in made]


def test_a_limit_is_drawn_evenly_over_kinds_and_always_the_same():
    few = make_mutants(SOURCE, limit=10)
    assert few == make_mutants(SOURCE, limit=10)
    assert len(few) == 10
    assert len({mutant.operator for mutant in few}) >= 8
    assert few != make_mutants(SOURCE, limit=10, seed=1)


def test_only_wanted_lines_are_mutated():
    assert {mutant.line for mutant in make_mutants(SOURCE, lines=frozenset({9}))} == {9}


def test_a_source_that_is_no_python_has_no_mutants():
    assert make_mutants("def this is no python") == []


def test_wilsons_interval_is_the_published_one():
    low, high = wilson_interval(10, 10)
    assert low == pytest.approx(0.7225, abs=1e-3)
    assert high == pytest.approx(1.0)
    low, high = wilson_interval(1, 2)
    assert (low, high) == (pytest.approx(0.0945, abs=1e-3), pytest.approx(0.9055, abs=1e-3))


def test_only_decided_mutants_are_in_the_rate():
    names = ["killed", "killed", "killed", "survived", "equivalent", "undecided", "outside the task"]
    kills = Kills(tuple(Fate(name, "operator", 1, "") for name in names))
    assert kills.rate == 0.75
    assert len(kills.survivors) == 1
    assert Kills(()).rate is None
    assert Kills(()).interval is None


def test_made_up_arguments_keep_what_is_true_of_all_that_were_seen():
    seen = [
        repr((sorted(range(start, start + size)), size)) for start in range(-3, 4) for size in range(1, 7)
    ]
    made = [ast.literal_eval(text) for text in make_up_arguments(seen, 40)]
    assert len(made) >= 10
    assert len({repr(args) for args in made} & set(seen)) == 0
    for items, size in made:
        assert items == sorted(set(items))
        assert items
        assert len(items) <= 6
        assert all(-3 <= item <= 9 for item in items)
        assert 1 <= size <= 6


def test_without_staying_within_more_is_made_up_than_was_seen():
    seen = [repr((5, 1, 9)), repr((4, 2, 7)), repr((6, 3, 8))]
    inside = [ast.literal_eval(text) for text in make_up_arguments(seen, 50)]
    beyond = [ast.literal_eval(text) for text in make_up_arguments(seen, 50, stay_within=False)]
    assert all(low < x < high for x, low, high in inside)
    assert any(x <= low for x, low, high in beyond)
    assert all(type(x) is int for args in beyond for x in args)


def test_letters_and_types_stay_those_that_were_seen():
    seen = [repr(("abba", [True])), repr(("cab", [False, True])), repr(("", []))]
    for text in make_up_arguments(seen, 30, stay_within=False):
        word, flags = ast.literal_eval(text)
        assert set(word) <= set("abc")
        assert all(type(flag) is bool for flag in flags)


def test_made_up_objects_use_methods_with_arguments_that_were_seen():
    seen = [Objects("Box", "(2,)", (("put", "(1,)"), ("get", "()"), ("put", "(7,)")))]
    made = make_up_objects(seen, 20)
    assert len(made) == 20
    calls = {call for item in made for call in item.calls}
    assert calls <= {("put", "(1,)"), ("put", "(7,)"), ("get", "()")}
    assert any(item.calls != seen[0].calls for item in made)


def text_subject(text, verifier):
    env = Environment(task="t", verifier_code=verifier, verifier_mode="spec")
    return Subject("s", env, Answer("reference", text))


def test_only_the_answer_in_a_reasoning_text_is_mutated():
    subject = text_subject("First 3, then 4.\nSo it is 42\n", 'mode = "numeric"\n')
    mutants = make_text_mutants(subject, limit=20)
    assert {mutant.source for mutant in mutants} >= {
        "First 3, then 4.\nSo it is 43\n",
        "First 3, then 4.\nSo it is 41\n",
    }
    assert all(mutant.source.startswith("First 3, then 4.\n") for mutant in mutants)
    assert all(mutant.operator.startswith("answer: ") for mutant in mutants)


def test_a_document_loses_parts_and_types():
    subject = text_subject('{"a": 1, "b": ["x"]}', 'mode = "json-schema"\n')
    mutants = {mutant.source: mutant.operator for mutant in make_text_mutants(subject, limit=50)}
    assert mutants['{"b": ["x"]}'] == "text: dropped part"
    assert mutants['{"a": "1", "b": ["x"]}'] == "text: wrong type"
    assert mutants['{"a": 2, "b": ["x"]}'] == "text: value"

"""The answers that `deepgym qa` writes: cheats, floor answers, other forms; and the state of a long run."""

import ast

import pytest

from deepgym.models import Environment
from deepgym.qa.attacks import build_attacks, code, patch, program, text
from deepgym.qa.floor import examples_answer, floor_answers, table_answer
from deepgym.qa.forms import other_forms
from deepgym.qa.interface import read_interface
from deepgym.qa.observation import Call, Observation, ProgramRun, read_records
from deepgym.qa.report import Options, QaReport
from deepgym.qa.state import State, subject_key
from deepgym.qa.subject import Answer, Subject

REFERENCE = """\
def helper(x):
    return x * 2


def double(numbers, total=0):
    if not numbers:
        return total
    rest = numbers[1:]
    return double(rest, total + helper(numbers[0]))
"""
VERIFIER = "from deepgym_solution import load_solution\ndef verify(solution_path):\n    return 1.0\n"


def make_subject(reference=REFERENCE, task="Write `double(numbers)`: `double([1], 0)` is 2."):
    return Subject("double", Environment(task=task, verifier_code=VERIFIER), Answer("reference", reference))


def observation():
    calls = [Call("double", "([1], 0)", value="2"), Call("double", "([2, 5], 0)", value="14")]
    return Observation(calls=calls, first_values=["2", "14", "2"], is_seeded=False)


def read(subject=None, seen=None):
    subject = subject or make_subject()
    return read_interface(subject, seen or observation())


def run(source, name, *args):
    space = {}
    exec(compile(source, "answer.py", "exec"), space)
    return space[name](*args)


def test_the_interface_names_what_is_called_and_no_helper():
    interface = read()
    assert interface.style == "code"
    assert [(item.name, item.arity) for item in interface.functions] == [("double", 2)]


@pytest.mark.parametrize("cheats", [code.CHEATS, program.CHEATS, text.CHEATS])
def test_there_are_forty_cheats_of_each_kind_with_names_of_their_own(cheats):
    assert len(cheats) >= 40
    assert len({cheat.name for cheat in cheats}) == len(cheats)
    assert all(1 <= cheat.row <= 72 for cheat in (*cheats, *patch.CHEATS))


def test_cheats_that_are_code_compile():
    for attack in build_attacks(read(), make_subject()):
        ast.parse(attack.answer)


def test_a_turn_that_changes_nothing_is_left_out():
    names = {attack.name for attack in build_attacks(read(), make_subject())}
    assert "turned:float-for-int" in names
    assert "turned:prefix" not in names


def test_a_turned_answer_gives_the_right_value_in_another_form():
    attack = next(
        item for item in build_attacks(read(), make_subject()) if item.name == "turned:float-for-int"
    )
    assert repr(run(attack.answer, "double", [3], 1)) == "7.0"


def test_programs_are_fitted_to_the_files_that_they_write():
    seen = ProgramRun((), "3\n", {"in.csv": "a"}, "6\n", {"in.csv": "a", "out.json": "{}"})
    subject = make_subject("print(2 * int(input()))\n", "Print twice the number and write out.json.")
    interface = read_interface(subject, Observation(programs=[seen], first_stdouts=["6\n"]))
    assert interface.style == "program"
    assert interface.outputs == ("out.json",)
    symlink = next(item for item in build_attacks(interface, subject) if item.name == "symlinked-output")
    assert "OUTPUTS = ['out.json']" in symlink.answer


def test_floor_answers_hold_the_majority_and_an_echo():
    answers = {answer.name: answer.text for answer in floor_answers(read())}
    assert run(answers["the most common result, 2"], "double", [9], 0) == 2
    assert run(answers["the first argument"], "double", [9], 0) == [9]
    assert answers["an empty answer"] == ""


def test_tables_know_what_was_seen_and_what_the_task_shows():
    learnt, shown = table_answer(read()), examples_answer(read())
    assert run(learnt, "double", [2, 5], 0) == 14
    assert run(shown, "double", [1], 0) == 2
    assert run(shown, "double", [2, 5], 0) is None


def test_every_other_form_does_what_the_reference_does():
    forms = {form.name: form.answer for form in other_forms(read(), make_subject()) if form.answer}
    assert {
        "renamed locals",
        "iterative for recursive",
        "works in a thread",
        "results of subclasses",
    } <= forms.keys()
    for name, answer in forms.items():
        for numbers in ([], [4], [1, 2, 3]):
            expected = run(REFERENCE, "double", numbers, 5)
            assert run(answer.replace("\r\n", "\n"), "double", numbers, 5) == expected, name


def test_a_tail_call_becomes_a_loop_that_needs_no_stack():
    source = "def down(n, steps):\n    if n == 0:\n        return steps\n    return down(n - 1, steps + 1)\n"
    seen = Observation(calls=[Call("down", "(3, 0)", value="3")])
    forms = {
        form.name: form.answer for form in other_forms(read(make_subject(source), seen), make_subject(source))
    }
    assert run(forms["iterative for recursive"], "down", 50_000, 0) == 50_000


def test_records_that_were_cut_are_passed_over():
    class Result:
        stderr = 'noise\n\x1edeepgym-record {"kind": "call"}\n\x1edeepgym-record {"kind": "ca'

    assert read_records(Result()) == [{"kind": "call"}]


def test_a_key_depends_on_everything_that_a_report_depends_on():
    base = subject_key(make_subject(), Options())
    assert base == subject_key(make_subject(), Options())
    assert base != subject_key(make_subject(), Options(max_mutants=3))
    assert base != subject_key(make_subject(REFERENCE + "\n"), Options())
    assert base != subject_key(make_subject(task="Another."), Options())


def test_a_state_is_taken_up_again_and_a_line_that_was_cut_is_not(tmp_path):
    path = tmp_path / "state.jsonl"
    State(path).keep("one", QaReport("a", style="code"))
    with open(path, "a") as file:
        file.write('{"key": "two", "rep')
    state = State(path)
    assert state.find("one").name == "a"
    assert state.find("two") is None
    assert State(None).find("one") is None

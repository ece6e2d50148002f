"""Importers: every record is carried over or listed with its reason, and what arrives is what the record says."""

import base64
import gzip
import json
import os
import pickle
import zlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from deepgym.cli import cli
from deepgym.errors import UsageError
from deepgym.importers.cases import tolerance_told
from deepgym.importers.importing import destination, import_file
from deepgym.importers.reading import Unreadable, read_records
from deepgym.importers.record import Options
from deepgym.importers.unpickling import load_plain_pickle, read_private_tests
from deepgym.registry import list_environments, load_environment, load_folder

RECORDS = Path(__file__).parents[3] / "data" / "records"
KINDS = {
    "humaneval": (["HumanEval_900"], {"HumanEval/901"}),
    "mbpp": (["901"], set()),
    "evalplus": (["HumanEval_900", "Mbpp_902"], set()),
    "apps": (["7", "8"], {"9", "10"}),
    "taco": (["root"], set()),
    "livecodebench": (["halves", "pair"], {"evil"}),
    "codecontests": (["1_A._Larger"], {"1_B. Files"}),
}


@pytest.fixture(autouse=True)
def own_registry(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("DEEPGYM_ENVIRONMENTS", str(tmp_path / "sets"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_every_record_is_in_the_set_or_listed_with_a_reason(kind, tmp_path):
    names, refused = KINDS[kind]
    report = import_file(kind, RECORDS / f"{kind}.jsonl", tmp_path / "sets" / "s")
    assert [*report.carried] == names
    assert {record_id for record_id, _ in report.not_carried} == refused
    assert all(reason for _, reason in report.not_carried)
    assert report.exit_code == (1 if refused else 0)
    for name in names:
        env = load_environment(f"s/{name}")
        assert env.name == f"s/{name}"
        assert env.task.strip()
        assert kind in env.tags
        assert load_environment(report.path / name).verifier_code == env.verifier_code
    # The sets of one process are found beside the shipped environments.
    assert {f"s/{name}" for name in names} <= {env.name for env in list_environments(tags=[kind])}


def test_known_answers_come_along(tmp_path):
    import_file("codecontests", RECORDS / "codecontests.jsonl", tmp_path / "sets" / "cc")
    folder = load_folder("cc/1_A._Larger")
    assert "max(map" in folder.reference_solution.read_text()
    assert [path.name for path in folder.right] == ["right_2.py"]
    assert [path.name for path in folder.wrong] == ["wrong_1.py", "wrong_2.py"]
    assert str(folder.wrong[0]).endswith("cc.envs.zip/1_A._Larger/solutions/wrong/wrong_1.py")
    env = folder.environment
    assert len(env.test_cases) == 4
    assert env.metadata["source"] == "codeforces"
    assert env.metadata["rating"] == 800
    assert env.tags == ("codecontests", "math")
    assert env.difficulty == "a"


def test_what_is_left_out_of_a_record_is_noted(tmp_path):
    report = import_file("codecontests", RECORDS / "codecontests.jsonl", tmp_path / "sets" / "cc")
    notes = [note for _, note in report.notes]
    assert any("1 of incorrect_solutions are left out: they are in cpp" in note for note in notes)
    assert any("python2" in note for note in notes)


def test_hidden_and_shown_tests_are_both_cases(tmp_path):
    import_file("livecodebench", RECORDS / "livecodebench.jsonl", tmp_path / "sets" / "lcb")
    assert len(load_environment("lcb/halves").test_cases) == 3
    pair = load_environment("lcb/pair")
    assert pair.test_cases[1] == {"arguments": [[3, 2, 4], 6], "expected": [[1, 2]]}
    assert json.loads(pair.support_files["settings.json"])["function"] == "pair"
    assert "1.50" not in load_environment("lcb/halves").task


def test_a_pickle_that_would_run_something_is_refused(tmp_path):
    report = import_file("livecodebench", RECORDS / "livecodebench.jsonl", tmp_path / "sets" / "lcb")
    assert "system" in dict(report.not_carried)["evil"]
    assert not os.path.exists("/tmp/unpickled-by-the-importer")


def test_without_the_wall_that_pickle_runs():
    record = [json.loads(line) for line in (RECORDS / "livecodebench.jsonl").read_text().splitlines()][-1]
    data = zlib.decompress(base64.b64decode(record["private_test_cases"]))
    with pytest.MonkeyPatch.context() as patch:
        called = []
        patch.setattr(os, "system", called.append)
        patch.setattr("posix.system", called.append)
        pickle.loads(data)
    assert called == ["touch /tmp/unpickled-by-the-importer"]


@pytest.mark.parametrize(
    "value",
    [
        1,
        None,
        True,
        1.5,
        (1,),
        {1: "a"},
        {"a": 2},
        ["a", {"b": ("c",)}],
        {"a"},
        bytearray(b"a"),
        [b"", 3],
        print,
    ],
)
def test_a_pickle_of_anything_but_text_lists_and_dicts_is_refused(value):
    with pytest.raises(ValueError, match="refused"):
        load_plain_pickle(pickle.dumps(value))


@pytest.mark.parametrize("value", ["text", ["a", ["b"]], {"a": {"b": "c"}}, b"bytes", []])
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_plain_pickles_are_read(value, protocol):
    if isinstance(value, bytes) and protocol < 3:
        value = "older protocols name a codec to write bytes"
    assert load_plain_pickle(pickle.dumps(value, protocol)) == value


@pytest.mark.parametrize(
    "data", [b"", b"\x80", b"cos\nsystem\n(S'x'\ntR.", b"P1\n.", b"(lp0\ng0\na", b"not a pickle"]
)
def test_a_malformed_or_hostile_pickle_is_a_value_error(data):
    with pytest.raises(ValueError, match="refused"):
        load_plain_pickle(data)


def test_private_tests_that_are_cut_short_are_refused():
    packed = base64.b64encode(zlib.compress(pickle.dumps(json.dumps([{"input": "x" * 999}])))[:-9]).decode()
    with pytest.raises(ValueError, match="cut short"):
        read_private_tests(packed)
    with pytest.raises(ValueError, match="neither"):
        read_private_tests("!!!")


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz", "json", "json.gz", "by_id.json", "one.json"])
def test_records_are_read_in_every_form(form, tmp_path):
    rows = [json.loads(line) for line in (RECORDS / "mbpp.jsonl").read_text().splitlines()]
    text = {
        "jsonl": "\n\n" + (RECORDS / "mbpp.jsonl").read_text(),
        "json": json.dumps(rows, indent=2),
        "by_id.json": json.dumps({str(row["task_id"]): row for row in rows}),
        "one.json": json.dumps(rows[0], indent=2),
    }[form.removesuffix(".gz")]
    path = tmp_path / form
    path.write_bytes(gzip.compress(text.encode()) if form.endswith(".gz") else text.encode())
    assert list(read_records(path)) == rows


def test_a_line_that_is_no_record_takes_no_other_with_it(tmp_path):
    good = (RECORDS / "mbpp.jsonl").read_text()
    path = tmp_path / "x.jsonl"
    path.write_text(good + '{"broken": \n[1]\n' + good)
    kinds = [type(record) for record in read_records(path)]
    assert kinds == [dict, Unreadable, Unreadable, dict]
    report = import_file("mbpp", path, tmp_path / "sets" / "m")
    assert report.carried == ("901", "901-2")
    assert [record_id for record_id, _ in report.not_carried] == ["record-2", "record-3"]


@pytest.mark.parametrize(
    ("kind", "record", "reason"),
    [
        ("apps", {"question": "q", "input_output": "{"}, "no JSON"),
        ("apps", {"question": 3, "input_output": "{}"}, "not text"),
        (
            "apps",
            {"question": "q", "input_output": '{"inputs": [], "outputs": []}'},
            "every answer would be right",
        ),
        ("apps", {"question": "q", "input_output": '{"inputs": [1], "outputs": ["1"]}'}, "not text"),
        (
            "apps",
            {"question": "q", "input_output": '{"fn_name": "f", "inputs": [1], "outputs": [1]}'},
            "arguments",
        ),
        (
            "taco",
            {"question": "q", "input_output": {"inputs": ["1"], "outputs": ["1"]}, "solutions": 7},
            "list of text",
        ),
        (
            "livecodebench",
            {"question_content": "q", "public_test_cases": "[]", "private_test_cases": "[]"},
            "no tests",
        ),
        (
            "livecodebench",
            {
                "question_content": "q",
                "public_test_cases": '[{"input": "1", "output": "1", "testtype": "functional"}]',
                "private_test_cases": "[]",
                "metadata": "{}",
            },
            "func_name",
        ),
        (
            "codecontests",
            {"description": "d", "public_tests": {"input": ["1"], "output": []}},
            "1 inputs and 0",
        ),
        ("codecontests", {"description": " "}, "empty"),
        (
            "evalplus",
            {"prompt": "p", "entry_point": "f", "canonical_solution": "", "base_input": []},
            "no inputs",
        ),
        (
            "evalplus",
            {"prompt": "", "entry_point": "f", "canonical_solution": "def g(): pass", "base_input": [[1]]},
            "does not define f",
        ),
        ("humaneval", {"task_id": 3}, "lacks"),
        ("mbpp", {"task_id": 1, "text": "t", "code": "def f(): pass", "test_list": 7}, "list of text"),
        (
            "taco",
            {
                "question": "q",
                "input_output": {"inputs": ["1"], "outputs": ["1"]},
                "tags": 7,
                "time_limit": [],
            },
            None,
        ),
    ],
)
def test_a_malformed_record_is_listed_and_the_others_go_on(kind, record, reason, tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(record) + "\n" + (RECORDS / f"{kind}.jsonl").read_text())
    report = import_file(kind, path, tmp_path / "sets" / "x")
    if reason is None:
        assert len(report.carried) == len(KINDS[kind][0]) + 1
    else:
        assert reason in report.not_carried[0][1]
        assert [*report.carried] == KINDS[kind][0]


def test_nothing_carried_over_leaves_no_file(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"task_id": "a"}\n')
    with pytest.raises(UsageError, match="none of 1 records"):
        import_file("humaneval", path, tmp_path / "sets" / "x")
    assert os.listdir(tmp_path / "sets") == []


def test_a_set_is_replaced_only_when_told(tmp_path):
    source, dest = RECORDS / "mbpp.jsonl", tmp_path / "sets" / "m"
    first = import_file("mbpp", source, dest)
    with pytest.raises(UsageError, match="already"):
        import_file("mbpp", source, dest)
    again = import_file("mbpp", source, dest, options=Options(shown_tests=0), replace=True)
    assert again.content_hash != first.content_hash
    assert "assert" not in load_environment("m/901").task


def test_a_plain_name_goes_to_the_users_registry(tmp_path):
    assert destination("lcb", "apps") == tmp_path / "data" / "deepgym" / "environments" / "lcb.envs.zip"
    assert destination("./lcb", "apps").name == "lcb.envs.zip"
    assert destination(tmp_path, "apps") == tmp_path / "apps.envs.zip"
    assert destination(".", "swebench-like").name == "swebench-like.envs.zip"
    for bad in ("./.hidden", "./a b", "./_x", "-x", ""):
        with pytest.raises(UsageError):
            destination(bad, "apps")


def test_a_set_is_found_by_the_path_it_was_written_to(tmp_path):
    import_file("mbpp", RECORDS / "mbpp.jsonl", tmp_path / "mine")
    assert load_environment(tmp_path / "mine" / "901").task == load_environment("./mine/901").task
    assert load_environment("mine/901").task == load_environment("mine.envs.zip/901").task


@pytest.mark.parametrize(
    ("statement", "room"),
    [
        ("Your answer is correct if its absolute or relative error does not exceed 10^{-6}.", 1e-6),
        ("an absolute error of at most 10 ^ { - 9 }", 1e-9),
        ("with relative error 1e-4 or less", 1e-4),
        ("absolute or relative error should be less than 10−5", 1e-5),
        ("Print the answer modulo 10^9 + 7.", None),
        ("The error is 10^{-6}.", None),
        ("absolute error " * 5000, None),
    ],
)
def test_room_for_numbers_is_given_where_a_statement_tells(statement, room):
    told = tolerance_told(statement)
    assert told == (None if room is None else pytest.approx(room))


def test_the_command_counts_and_lists(tmp_path):
    done = CliRunner().invoke(cli, ["import", "apps", str(RECORDS / "apps.jsonl"), "apps"])
    assert done.exit_code == 1
    assert "2 of 4 records are in" in done.output
    assert "9: it lacks input_output" in done.output
    listed = CliRunner().invoke(cli, ["list", "--tag", "apps", "--json"])
    assert {row["name"] for row in json.loads(listed.output)} == {"apps/7", "apps/8"}
    shown = CliRunner().invoke(cli, ["show", "apps/8", "--json"])
    assert json.loads(shown.output)["verifier_shape"] == "verify_function"
    again = CliRunner().invoke(
        cli, ["import", "apps", str(RECORDS / "apps.jsonl"), "apps", "--replace", "--json"]
    )
    assert json.loads(again.output)["carried"] == 2
    assert len(json.loads(again.output)["not_carried"]) == 2


def test_the_command_says_what_it_cannot_read(tmp_path):
    (tmp_path / "x").write_text("neither")
    for args in (["apps", "none.jsonl", "a"], ["apps", "x", "a"], ["nonsense", "x", "a"]):
        done = CliRunner().invoke(cli, ["import", *args])
        assert done.exit_code == 2, done.output

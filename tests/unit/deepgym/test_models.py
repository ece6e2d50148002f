"""Environment, RunResult and BatchResult: what they accept, refuse, print and carry through JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from deepgym.errors import UsageError
from deepgym.models import BatchResult, Case, Environment, RunResult

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


def make_env(**fields):
    return Environment(**{"task": "add", "verifier_code": "return 1.0", **fields})


def make_result(**fields):
    return RunResult(**{"score": 1.0, "passed": True, "has_verdict": True, **fields})


NO_VERDICT = {"score": 0.0, "passed": False, "has_verdict": False, "error_type": "sandbox_error"}


def test_an_unknown_field_is_refused_and_the_valid_ones_are_named():
    with pytest.raises(ValidationError, match=r"no field 'timeuot': the valid fields are task, .*timeout"):
        make_env(timeuot=3)


def test_an_unknown_mode_is_refused_and_the_valid_ones_are_named():
    with pytest.raises(ValidationError, match="'auto', 'script', 'verify_function', 'body' or 'spec'"):
        make_env(verifier_mode="function")


def test_an_environment_is_frozen():
    with pytest.raises(ValidationError, match="frozen"):
        make_env().timeout = 3


@pytest.mark.parametrize("both", [{}, {"verifier_code": "return 1.0", "verifier_path": "v.py"}])
def test_exactly_one_verifier_is_demanded(both):
    with pytest.raises(ValidationError, match="exactly one of verifier_code and verifier_path"):
        Environment(task="add", **both)


def test_a_verifier_path_that_is_no_file_is_refused(tmp_path):
    with pytest.raises(ValidationError, match="is not a file"):
        Environment(task="add", verifier_path=tmp_path / "absent.py")


def test_the_verifier_is_read_from_its_file(tmp_path):
    path = tmp_path / "v.py"
    path.write_bytes(b"return 1.0\r\n")
    env = Environment(task="add", verifier_path=path)
    assert env.read_verifier() == b"return 1.0\r\n"
    assert env.verifier_filename == str(path)


def test_a_verifier_file_that_vanished_is_the_callers_mistake(tmp_path):
    path = tmp_path / "v.py"
    path.write_text("return 1.0")
    env = Environment(task="add", verifier_path=path)
    path.unlink()
    with pytest.raises(UsageError, match="cannot be read"):
        env.read_verifier()


def test_the_verifier_text_is_itself():
    assert make_env().read_verifier() == "return 1.0"
    assert make_env().verifier_filename == "verifier.py"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("timeout", 0),
        ("timeout", float("nan")),
        ("timeout", float("inf")),
        ("case_timeout", -1),
        ("pass_threshold", 0.0),
        ("pass_threshold", 1.5),
        ("memory_mb", 0),
        ("processes", 0),
        ("seed", -1),
        ("min_isolation", "strong"),
        ("env_vars", {"A=B": "1"}),
        ("env_vars", {"A": "\0"}),
        ("test_cases", "[1]"),
        ("test_cases", [object()]),
        ("metadata", {"x": {1, 2}}),
    ],
)
def test_a_value_that_cannot_be_is_refused(field, value):
    with pytest.raises(ValidationError, match=field):
        make_env(**{field: value})


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x.py", "/x.py", "a/../../x", "a//b", "a\0b", "a\\b", "./x"]
)
def test_a_support_file_stays_inside_the_verifiers_folder(name):
    with pytest.raises(ValidationError, match="plain relative path"):
        make_env(support_files={name: ""})


def test_an_environment_survives_json():
    env = make_env(
        support_files={"lib/a.py": "x = '\ud800'", "b.bin": b"\x00\xff", "looks.txt": '{"base64": "AA=="}'},
        test_cases=[(1, "é\udfff"), {"a": None}, float("inf")],
        tags=["a", "b"],
        metadata={"k": [1.5, True]},
        seed=7,
        min_isolation="sealed",
    )
    again = Environment.model_validate_json(env.model_dump_json())
    assert again == env
    assert again.support_files["b.bin"] == b"\x00\xff"
    assert again.test_cases == [[1, "é\udfff"], {"a": None}, float("inf")]
    assert Environment(**env.model_dump()) == env


def test_test_cases_are_a_copy():
    cases = [[1]]
    env = make_env(test_cases=cases)
    cases[0].append(2)
    assert env.test_cases == [[1]]


def test_an_environments_repr_is_short():
    assert len(repr(make_env(task="word " * 1000, test_cases=[0] * 10_000))) < 200
    assert "merge" in repr(make_env(name="merge"))


def test_reward_is_the_score_only_with_a_verdict():
    assert make_result(score=0.5, passed=False).reward == 0.5
    assert RunResult(**NO_VERDICT).reward is None


@pytest.mark.parametrize("lie", [{"score": 0.5}, {"passed": True}])
def test_a_result_without_verdict_has_no_score(lie):
    with pytest.raises(ValidationError, match="without a verdict"):
        RunResult(**{**NO_VERDICT, **lie})


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -0.1, 1.5])
def test_a_score_outside_the_range_is_refused(score):
    with pytest.raises(ValidationError):
        make_result(score=score)


@given(text=ANY_TEXT)
def test_a_result_with_any_text_survives_json(text):
    result = make_result(
        details=text,
        stdout=text,
        error_type=text,
        metrics={text: [text]},
        reward_components={text: 0.5},
        cases=[Case(id=text, passed=False, score=0, error=text)],
    )
    written = result.model_dump_json()
    assert RunResult.model_validate_json(written) == result
    assert json.loads(written)["reward"] == 1.0


def test_a_lone_surrogate_in_a_result_becomes_its_escape_so_that_it_can_be_printed():
    result = make_result(details="got \ud800 é")
    assert result.details == "got \\ud800 é"


def test_a_component_that_is_not_finite_is_refused():
    with pytest.raises(ValidationError, match="finite"):
        make_result(reward_components={"a": float("nan")})


def test_a_results_repr_says_the_essentials_in_one_short_line():
    cases = [Case(id="a", passed=True, score=1), Case(id="b", passed=False, score=0)]
    result = make_result(
        score=0.5, passed=False, cases=cases, details="one\ntwo " * 99, backend="local", isolation="sealed"
    )
    assert repr(result).startswith("RunResult(score=0.5, failed, 1/2 cases, 'one two ")
    assert repr(result).endswith("…', 0 ms, local/sealed)")
    assert "\n" not in repr(result)
    assert len(repr(result)) < 200
    assert repr(RunResult(**NO_VERDICT)) == "RunResult(no verdict, sandbox_error, 0 ms)"


def test_output_is_the_details_or_else_what_was_printed():
    assert make_result(details="d", stdout="s").output == "d"
    assert make_result(stdout="s").output == "s"


def test_a_batch_counts_a_missing_verdict_as_0_and_shows_the_judged_figures_beside_it():
    batch = BatchResult(
        results=[
            make_result(execution_time_ms=2),
            make_result(score=0.5, passed=False),
            RunResult(**NO_VERDICT),
        ],
        execution_time_ms=3,
    )
    assert batch.rewards == [1.0, 0.5, None]
    assert (batch.total, batch.passed, batch.failed, batch.no_verdict_count, batch.judged_count) == (
        3,
        1,
        1,
        1,
        2,
    )
    assert (batch.mean_score, batch.pass_rate) == (0.5, 1 / 3)
    assert (batch.judged_mean_score, batch.judged_pass_rate) == (0.75, 0.5)
    assert (batch.run_time_ms, len(batch), batch[0].score) == (2.0, 3, 1.0)
    assert list(map(repr, batch.results)) == [repr(batch[i]) for i in range(3)]
    assert repr(batch) == "BatchResult(1/3 passed, mean_score=0.5, 1 without verdict, 3 ms)"
    written = batch.model_dump_json(indent=1)
    assert json.loads(written)["judged_mean_score"] == 0.75
    assert BatchResult.model_validate_json(written) == batch


def test_an_empty_batch_has_figures():
    batch = BatchResult(results=[])
    assert (batch.mean_score, batch.pass_rate, batch.judged_mean_score, batch.judged_pass_rate) == (
        0,
        0,
        None,
        None,
    )
    assert repr(batch) == "BatchResult(0/0 passed, mean_score=0, 0 ms)"

"""Evaluation: which program a sample stands for, how many run at once, and the figures."""

import asyncio
import json

import pytest

from deepgym.datasets import humaneval_record, mbpp_record
from deepgym.errors import UsageError
from deepgym.evaluation import Sample, evaluate, read_samples, solution_of
from deepgym.models import RunResult

PROMPT = 'import math\n\n\ndef f(x):\n    """Double.\n\n    ```\n    f(1)\n    ```\n    """\n'
TEST = "def check(candidate):\n    assert candidate(1) == 2\n"
RECORD = humaneval_record({"task_id": "T/1", "prompt": PROMPT, "entry_point": "f", "test": TEST})
WHOLE = mbpp_record(
    {"task_id": 2, "prompt": "Double.", "code": "def f(x): return x", "test_list": ["assert f(1) == 2"]}
)
BODY = "    return 2 * x\n"
FUNCTION = "def f(x):\n    return 2 * x\n"


class FakeClient:
    """Passes every answer that doubles, has no verdict on `lost`, and knows how many ran at once."""

    def __init__(self):
        self.running = 0
        self.most = 0

    async def arun(self, env, model_output):
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.001)
        self.running -= 1
        if "boom" in model_output:
            raise UsageError("boom")
        if "lost" in model_output:
            return RunResult(score=0, passed=False, has_verdict=False, error_type="sandbox_error")
        good = "2 * x" in model_output
        return RunResult(score=float(good), passed=good, has_verdict=True)


@pytest.mark.parametrize(
    ("text", "program"),
    [
        (BODY, PROMPT + BODY),
        (f"{BODY}\n\nprint(f(1))\n", f"{PROMPT}{BODY}\n\nprint(f(1))\n"),
        (FUNCTION, PROMPT + FUNCTION),
        (f"```python\n{FUNCTION}```\nDone.", PROMPT + FUNCTION),
        (f"Sure:\n```python\n{BODY}```", PROMPT + BODY),
        ("    return (\n", PROMPT + "    return (\n"),
        ("", PROMPT),
    ],
)
def test_a_completion_continues_the_prompt_whatever_is_around_it(text, program):
    assert solution_of(RECORD, Sample("T/1", text, is_completion=True)) == program


def test_a_solution_is_taken_out_of_its_prose():
    fenced = f"```python\n{FUNCTION}```\n```python\ndef g(): f(1)\n```"
    assert solution_of(RECORD, Sample("T/1", fenced, is_completion=False)) == FUNCTION
    assert solution_of(WHOLE, Sample("2", FUNCTION, is_completion=False)) == FUNCTION
    assert solution_of(WHOLE, Sample("2", FUNCTION, is_completion=True)) == FUNCTION


def test_a_raw_sample_is_left_as_it_is():
    fenced = f"```python\n{FUNCTION}```"
    assert solution_of(RECORD, Sample("T/1", fenced, is_completion=False), raw=True) == fenced
    assert solution_of(RECORD, Sample("T/1", fenced, is_completion=True), raw=True) == PROMPT + fenced


def test_the_figures_are_over_all_samples_in_their_order():
    samples = [Sample("T/1", text, is_completion=True) for text in (BODY, "    pass\n", "# lost\n", BODY)]
    seen = []
    done = evaluate(FakeClient(), [RECORD, WHOLE], samples, on_result=seen.append)
    assert done.batch.rewards == [1.0, 0.0, None, 1.0]
    assert len(seen) == 4
    figures = done.figures()
    assert (figures["samples"], figures["tasks"], figures["tasks_without_sample"]) == (4, 1, 1)
    assert (figures["pass_rate"], figures["mean_score"], figures["no_verdict_count"]) == (0.5, 0.5, 1)
    assert figures["judged_pass_rate"] == 2 / 3
    report = json.loads(json.dumps(done.report()))
    assert [row["task_id"] for row in report["results"]] == ["T/1"] * 4
    assert report["results"][2]["reward"] is None


@pytest.mark.parametrize(("texts", "code"), [([BODY], 0), ([BODY, "    pass\n"], 1), ([BODY, "# lost\n"], 2)])
def test_the_exit_code_says_whether_all_passed(texts, code):
    samples = [Sample("T/1", text, is_completion=True) for text in texts]
    assert evaluate(FakeClient(), [RECORD], samples).exit_code == code


def test_no_more_runs_are_under_way_than_asked():
    client = FakeClient()
    evaluate(client, [RECORD], [Sample("T/1", BODY, is_completion=True)] * 20, max_parallel=3)
    assert client.most == 3


def test_an_error_of_the_caller_comes_out_as_itself():
    samples = [Sample("T/1", text, is_completion=True) for text in (BODY, "# boom\n", BODY)]
    with pytest.raises(UsageError, match="boom"):
        evaluate(FakeClient(), [RECORD], samples)


def test_a_sample_of_an_unknown_record_is_refused_before_anything_runs():
    client = FakeClient()
    with pytest.raises(UsageError, match="task_id 'T/9': it has T/1"):
        evaluate(
            client, [RECORD], [Sample("T/1", BODY, is_completion=True), Sample("T/9", "", is_completion=True)]
        )
    assert client.most == 0


def test_samples_are_read_line_by_line(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text(
        '{"task_id": "T/1", "completion": "a\\ud800\u2028"}\r\n\n{"task_id": 2, "solution": "b", "x": 1}\n'
    )
    assert read_samples(path) == [
        Sample("T/1", "a\ud800\u2028", is_completion=True),
        Sample("2", "b", is_completion=False),
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 2 is not JSON"),
        ("[" * 100_000, "line 2 is not JSON"),
        ("3", "line 2 has no task_id"),
        ('{"completion": ""}', "line 2 has no task_id"),
        ('{"task_id": 1}', "line 2 must have a completion or a solution"),
        ('{"task_id": 1, "completion": "", "solution": ""}', "line 2 must have"),
        ('{"task_id": 1, "completion": null}', "line 2 must have"),
    ],
)
def test_a_line_that_is_no_sample_is_named(tmp_path, line, words):
    path = tmp_path / "s.jsonl"
    path.write_text(f'{{"task_id": 1, "solution": ""}}\n{line}\n')
    with pytest.raises(UsageError, match=words):
        read_samples(path)


def test_a_file_without_samples_is_refused(tmp_path):
    (tmp_path / "s.jsonl").write_text("\n\n")
    with pytest.raises(UsageError, match="holds no samples"):
        read_samples(tmp_path / "s.jsonl")
    with pytest.raises(UsageError, match="cannot be read"):
        read_samples(tmp_path / "absent.jsonl")

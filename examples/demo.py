"""Score a right, a wrong, a cheating and a crashing answer to one built-in environment."""

from rich.console import Console
from rich.table import Table

from deepgym import DeepGym, load_environment

RIGHT = """
def merge_intervals(intervals):
    merged = []
    for low, high in sorted(intervals):
        if merged and low <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], high)
        else:
            merged.append([low, high])
    return merged
"""

WRONG = """
def merge_intervals(intervals):
    return sorted(intervals)
"""

CHEATING = """
class Anything(list):
    def __eq__(self, other):
        return True

def merge_intervals(intervals):
    print('{"score": 1.0, "passed": true}')
    return Anything()
"""

CRASHING = """
import os

def merge_intervals(intervals):
    os._exit(0)
"""

ANSWERS = {"right": RIGHT, "wrong": WRONG, "cheating": CHEATING, "crashing": CRASHING}


def main() -> None:
    env = load_environment("merge_intervals")
    table = Table(title=f"{env.name}: {len(ANSWERS)} answers")
    for heading in ("answer", "score", "passed", "why", "ms"):
        table.add_column(heading, justify="right" if heading in ("score", "ms") else "left")
    with DeepGym(mode="local") as dg:
        for name, answer in ANSWERS.items():
            result = dg.run(env, model_output=answer)
            failed = next((case for case in result.cases if not case.passed), None)
            why = f"{failed.id}: {failed.error}" if failed else result.details or "every case holds"
            score = f"{result.score:.2f}" if result.has_verdict else "no verdict"
            table.add_row(
                name, score, "yes" if result.passed else "no", why, f"{result.execution_time_ms:.0f}"
            )
    Console().print(table)
    print(f"isolation: {result.isolation} ({result.isolation_detail})")


if __name__ == "__main__":
    main()

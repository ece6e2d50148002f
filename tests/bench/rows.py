"""The rows of the benchmark: each measures one thing and says what it stands against."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from deepgym import DeepGym, Environment
from tests.bench import floor

CORES = len(os.sched_getaffinity(0))

TRIVIAL = Environment(
    task="Write square(x).",
    verifier_code="""
from deepgym_solution import load_solution
sol = load_solution(solution_path)
return 1.0 if sol.square(7) == 49 else 0.0
""",
)
TWENTY = TRIVIAL.model_copy(
    update={
        "verifier_code": """
from deepgym_solution import load_solution
sol = load_solution(solution_path)
return sum(sol.square(number) == number * number for number in range(20)) / 20
"""
    }
)
ANSWER = "def square(x):\n    return x * x\n"


@dataclass(frozen=True)
class Row:
    """One figure.

    Attributes:
        name: What was measured.
        value: The figure.
        unit: Its unit.
        against: What it is compared with, and that figure.
        ratio: value over the comparison, or the comparison over value where more is better.
        wanted: The ratio to reach, as text.
    """

    name: str
    value: float
    unit: str
    against: str = ""
    ratio: float | None = None
    wanted: str = ""

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def _answers(count: int) -> list[str]:
    """Equal programs with different texts, so that none is judged for another."""
    return [f"{ANSWER}# {number}\n" for number in range(count)]


def _rate(dg: DeepGym, env: Environment, count: int) -> float:
    begun = time.perf_counter()
    batch = dg.run_batch(env, _answers(count))
    elapsed = time.perf_counter() - begun
    assert batch.passed == count, batch
    return count / elapsed


def runs(*, quick: bool) -> Iterator[Row]:
    """One run, and many."""
    scale = 4 if quick else 1
    with DeepGym() as dg:
        dg.run_batch(TRIVIAL, _answers(8))
        bare_one = floor.bare_seconds(100 // scale, 1)
        warm = floor.median_seconds(lambda: dg.run(TRIVIAL, ANSWER), 100 // scale)
        yield Row(
            "one warm run, median", warm * 1e3, "ms", f"bare {bare_one * 1e3:.2f} ms", warm / bare_one, "<= 3"
        )
        bare = 1 / floor.bare_seconds(100 // scale, CORES)
        rate = _rate(dg, TRIVIAL, 64)
        cold = floor.cold_rate(16, CORES)
        yield Row("runs a second, 64 answers", rate, "/s", f"cold {cold:.1f}/s", rate / cold, ">= 8")
        yield Row("runs a second, 64 answers", rate, "/s", f"bare {bare:.0f}/s", rate / bare, ">= 0.5")
        rate = _rate(dg, TRIVIAL, 1024 // scale)
        bare = 1 / floor.bare_seconds(100 // scale, CORES)
        yield Row(
            f"runs a second, {1024 // scale} answers", rate, "/s", f"bare {bare:.0f}/s", rate / bare, ">= 0.5"
        )
        begun = time.perf_counter()
        assert dg.run_batch(TWENTY, _answers(64)).passed == 64
        yield Row("64 answers x 20 cases", time.perf_counter() - begun, "s")
        yield from _humaneval(dg)
        yield Row("memory of the hosts, at rest", _private_mb(os.getpid()), "MB")


def _humaneval(dg: DeepGym) -> Iterator[Row]:
    from deepgym.datasets import load_humaneval

    records = load_humaneval()
    answers = [record.reference_solution or "" for record in records]
    begun = time.perf_counter()
    batch = dg.run_batch([record.environment for record in records], answers)
    assert batch.passed == len(records), batch
    yield Row(f"HumanEval, {len(records)} canonical solutions", time.perf_counter() - begun, "s")


_SPECS = {
    "exact": ({"expected": ["Helsinki"]}, "helsinki"),
    "numeric": ({"expected": "42", "tolerance_abs": 0.0, "tolerance_rel": 0.0}, "so the answer is 42"),
    "mcq": ({"expected": "B"}, "B"),
    "ifeval": ({"constraints": [{"name": "punctuation:no_comma"}]}, "no commas here"),
    "json-schema": ({"schema": "schema.json", "format": "json"}, '{"a": 1}'),
    "structured_exact": ({"expected": {"a": [1, 2, 3]}}, {"a": [1, 2, 3]}),
    "math": ({"expected": "x^2"}, "\\boxed{x^2}"),
}
_RESOURCES = {"schema.json": b'{"type": "object", "required": ["a"]}'}


def grades() -> Iterator[Row]:
    """Grades a second of one process."""
    from verifyit.candidate import candidate_spec, grade_candidate

    for mode, (fields, candidate) in _SPECS.items():
        spec = candidate_spec(mode, fields)
        count = 200 if mode in ("math", "json-schema") else 2000
        grade_candidate(spec, candidate, _RESOURCES)
        begun = time.perf_counter()
        for _ in range(count):
            reward = grade_candidate(spec, candidate, _RESOURCES)
        elapsed = time.perf_counter() - begun
        assert reward.reward == 1.0, (mode, reward)
        yield Row(
            f"verifyit {mode}", count / elapsed, "grades/s", wanted=">= 200/s" if mode == "math" else ""
        )


def calls() -> Iterator[Row]:
    """One call, and ten thousand, measured where a verifier makes them: in the judge."""
    env = Environment(
        task="Write f(x).",
        verifier_code="""
import time
from deepgym_solution import load_solution
sol = load_solution(solution_path)
f = sol.f
for _ in range(200):
    f(1)
begun = time.perf_counter()
for number in range(3000):
    f(number)
call = (time.perf_counter() - begun) / 3000
begun = time.perf_counter()
assert len(sol.map("f", list(range(10_000)))) == 10_000
mapped = (time.perf_counter() - begun) / 10_000
return {"score": 1.0, "metrics": {"call_us": call * 1e6, "map_us": mapped * 1e6}}
""",
    )
    with DeepGym() as dg:
        echo = floor.echo_seconds(3000) * 1e6
        result = dg.run(env, "def f(x):\n    return x\n")
        call, mapped = result.metrics["call_us"], result.metrics["map_us"]
    yield Row("sol.f(x), round trip", call, "us", f"socket pair echo {echo:.1f} us", call / echo, "<= 3")
    yield Row("sol.map, a call of 10,000", mapped, "us", f"socket pair echo {echo:.1f} us", mapped / echo)


def imports() -> Iterator[Row]:
    """What importing costs."""

    def seconds(statement: str) -> float:
        command = [sys.executable, "-c", statement]
        return min(
            floor.median_seconds(lambda: subprocess.run(command, check=True, capture_output=True), 5)
            for _ in range(3)
        )

    nothing = seconds("pass")
    pydantic = seconds("import pydantic; pydantic.BaseModel") - nothing
    ours = seconds("import deepgym; deepgym.DeepGym, deepgym.Environment") - nothing
    bare = seconds("import deepgym") - nothing
    grader = seconds("import verifyit") - nothing
    against = f"import pydantic {pydantic * 1e3:.0f} ms"
    yield Row("import deepgym", bare * 1e3, "ms", against, bare / pydantic, "<= 3")
    yield Row("import deepgym, and its client", ours * 1e3, "ms", against, ours / pydantic, "<= 3")
    yield Row("import verifyit", grader * 1e3, "ms over bare Python", wanted="<= 60 ms")


def _private_mb(owner: int) -> float:
    """Memory that belongs to this process's children alone."""
    from deepgym_solution._procfs import descendants

    total = 0
    for pid in descendants(owner)[1:]:
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return total / 1024


def save(rows: list[Row], folder: Path) -> Path:
    """Keep the rows as one JSON file of the history."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{time.strftime('%Y%m%dT%H%M%S')}.json"
    path.write_text(json.dumps([row.as_json() for row in rows], indent=1) + "\n", encoding="utf-8")
    return path

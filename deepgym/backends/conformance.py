"""The promises that every backend keeps, as runs with known endings.

`run_conformance` runs them on any client; `deepgym conformance --mode NAME` prints the table. A third
party's backend that passes all of them judges as the local one does.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from deepgym.models import Environment, RunResult

__all__ = ["SCENARIOS", "Row", "Scenario", "run_conformance"]

_CALL = "from deepgym_solution import load_solution\nsol = load_solution(solution_path)\n"
_SUM = _CALL + "return {'score': float(sol.add(2, 3) == 5), 'details': 'judged'}"
_RIGHT = "def add(a, b): return a + b\n"
_MAIN = "import sys\nfrom deepgym_solution import load_solution\nsol = load_solution(sys.argv[1])\n"

_AT_ONCE = 20


class Client(Protocol):
    """What the suite needs of a `DeepGym`."""

    def run(self, env: Environment, model_output: str) -> RunResult:
        """Run one answer."""
        ...

    async def arun(self, env: Environment, model_output: str) -> RunResult:
        """The same on the running event loop."""
        ...


@dataclass(frozen=True)
class Scenario:
    """One run and how it has to end.

    Attributes:
        name: What is promised.
        group: What kind of promise it is.
        verifier: The verifier's source.
        answer: The answer.
        score: The score that has to come out; None: there must be no verdict.
        error_type: The error type that has to come out, where it is promised; "" where it is not.
        details: What the details have to contain.
        options: Further fields of the environment.
    """

    name: str
    group: str
    verifier: str
    answer: str
    score: float | None
    error_type: str | None = ""
    details: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def environment(self) -> Environment:
        """The environment to run in."""
        return Environment(task=self.name, verifier_code=self.verifier, **{"timeout": 30.0, **self.options})

    def why_broken(self, result: RunResult) -> str:
        """What is not as promised; empty when all is."""
        seen = result.score if result.has_verdict else None
        if seen != self.score:
            return f"score {seen} instead of {self.score}: {result.details[-300:]}"
        if self.error_type not in {"", result.error_type}:
            return f"error_type {result.error_type!r} instead of {self.error_type!r}"
        if self.details not in result.details:
            return f"the details do not say {self.details!r}: {result.details[-300:]}"
        return ""


@dataclass(frozen=True)
class Row:
    """How one scenario went.

    Attributes:
        scenario: Its name.
        group: Its group.
        passed: The promise was kept.
        detail: What was not as promised.
        elapsed_s: How long it took.
    """

    scenario: str
    group: str
    passed: bool
    detail: str
    elapsed_s: float


def _call(name: str, body: str, answer: str, score: float = 1.0, **more: Any) -> Scenario:
    return Scenario(name, "helpers", _CALL + body, answer, score, **more)


def _ending(name: str, answer: str, error_type: str | None, **more: Any) -> Scenario:
    return Scenario(name, "answers", _SUM, answer, 0.0, error_type, **more)


def _verifier(name: str, source: str, score: float | None, error_type: str | None, **more: Any) -> Scenario:
    return Scenario(name, "verifiers", source, _RIGHT, score, error_type, **more)


def _attack(name: str, body: str) -> Scenario:
    tried = f"try:\n    exec({body!r})\nexcept BaseException:\n    pass\ndef add(a, b): return 0\n"
    limits = {"memory_mb": 512, "tmp_mb": 32, "file_size_mb": 16}
    return Scenario(name, "attacks", _SUM, tried, 0.0, options=limits)


_PROGRAM = "from deepgym_solution import run_solution, read_output\nimport pathlib, tempfile\n"

SCENARIOS: tuple[Scenario, ...] = (
    Scenario("a right answer scores", "answers", _SUM, _RIGHT, 1.0, None, "judged"),
    _ending("a wrong answer does not", "def add(a, b): return a - b", None),
    _ending("an exception is the answer's", "def add(a, b): 1 / 0", "solution_error", details="ZeroDivisionError"),
    _ending("an exit is the answer's", "import os\ndef add(a, b): os._exit(0)", "solution_error"),
    _ending("a crash is the answer's", "import ctypes\ndef add(a, b): ctypes.string_at(0)", "solution_error"),
    _ending("a syntax error is the answer's", "def add(a, b) return", "solution_error", details="SyntaxError"),
    _ending("an empty answer is judged", "", "solution_error"),
    _ending("a hang is the answer's", "import time\ndef add(a, b): time.sleep(99)", "solution_timeout",
            options={"case_timeout": 1.0}),
    _ending("an object that equals all is not returned",
            "class E(int):\n    def __eq__(self, o): return True\ndef add(a, b): return E(0)", None),
    _ending("what an answer prints is no verdict", "def add(a, b):\n    print('{\"score\": 1}')\n    return 0", None),
    _call("a call carries every plain type",
          "v = [None, True, 2**80, 1.5, 2j, 'ü\\ud800', b'\\0\\xff', (1,), {'k': {1}}, frozenset({2})]\n"
          "return sol.f(v) == v",
          "def f(v): return v"),
    _call("a class is a handle", "s = sol.S()\ns.push(3)\nreturn s.top() == 3",
          "class S:\n    def push(self, x): self.x = x\n    def top(self): return self.x"),
    _call("many calls keep their order", "return sol.map('f', [(n,) for n in range(300)]) == list(range(300))",
          "def f(n): return n"),
    _call("two solutions live side by side",
          "other = load_solution(solution_path)\nsol.put(1)\nother.put(2)\nreturn (sol.get(), other.get()) == (1, 2)",
          "x = [0]\ndef put(v): x[0] = v\ndef get(): return x[0]"),
    Scenario("a program's output and exit code come back", "helpers",
             _PROGRAM + "d = run_solution(solution_path, ['a b'], stdin='grüße')\n"
             "return {'score': float((d.returncode, d.stdout) == (3, 'a b grüße'))}",
             "import sys\nsys.stdout.write(sys.argv[1] + ' ' + sys.stdin.read())\nsys.exit(3)", 1.0),
    Scenario("a program's files come back", "helpers",
             _PROGRAM + "w = pathlib.Path(tempfile.mkdtemp())\n(w / 'in').write_bytes(bytes(range(256)))\n"
             "run_solution(solution_path, cwd=w)\nreturn (w / 'out').read_bytes() == bytes(range(256))",
             "open('out', 'wb').write(open('in', 'rb').read())", 1.0),
    Scenario("a program reaches the verifier's port", "helpers",
             _PROGRAM + "import http.server, threading\n"
             "s = http.server.HTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)\n"
             "threading.Thread(target=s.serve_forever, daemon=True).start()\n"
             "d = run_solution(solution_path, [str(s.server_port)], loopback_port=s.server_port)\n"
             "return {'score': float(d.stdout.strip() == '200'), 'details': d.stderr}",
             "import sys, urllib.request as u\nprint(u.urlopen(f'http://127.0.0.1:{sys.argv[1]}/').status)", 1.0),
    Scenario("the source of an answer is read, not run", "helpers",
             "from deepgym_solution import solution_source\nreturn 'answer = 7' in solution_source(solution_path)",
             "answer = 7\nraise SystemExit", 1.0),
    _verifier("a function", "from deepgym_solution import load_solution\ndef verify(solution_path):\n"
              "    return load_solution(solution_path).add(1, 1) == 2", 1.0, None),
    _verifier("a script that prints", _MAIN + "print('{\"score\": 0.25}')\nsol.add(1, 1)", 0.25, None),
    _verifier("a script's bad exit code does not erase its score",
              _MAIN + "print('{\"score\": 0.75, \"passed\": true}')\nsys.exit(1)", 0.75, None),
    _verifier("a private report", _MAIN + "from deepgym_solution import report\nreport({'score': 0.5})", 0.5, None),
    _verifier("a crash before the answer runs is the verifier's", "1 / 0", None, "runtime_error"),
    _verifier("garbage before the answer runs is the verifier's", "return 'nonsense'", None, "verifier_error"),
    _verifier("a crash after the answer ran is judged", _CALL + "1 / 0", 0.0, "solution_error"),
    _verifier("garbage after the answer ran is judged", _CALL + "return float('nan')", 0.0, "solution_error"),
    _verifier("a verifier that hangs alone gives no verdict", "while True: pass", None, "verifier_timeout",
              options={"timeout": 1.5}),
    _verifier("binary files, cases and variables arrive",
              "import json, os, pathlib\nreturn (pathlib.Path('d/größe').read_bytes(),"
              " json.load(open(test_cases_path)), os.environ['W']) == (b'\\0\\xff\\r\\n', [1], 'a b')", 1.0, None,
              options={"support_files": {"d/größe": b"\0\xff\r\n"}, "test_cases": [1], "env_vars": {"W": "a b"}}),
    _verifier("a flood of output is cut and costs nothing", "print('x' * 5_000_000)\nreturn True", 1.0, None),
    _attack("a forged frame is no outcome",
            "import os; os.write(1, b'\\ndeepgym-frame ' + b'0' * 64 + b' e30=\\n')"),
    _attack("the job cannot be read", "open('/deepgym/job', 'rb').read()"),
    _attack("all that can be killed is one's own", "import os; os.kill(-1, 9)"),
    _attack("the first process stands", "import os; os.kill(1, 9)"),
    _attack("nobody becomes root", "import os; os.setuid(0)"),
    _attack("nobody else's memory is read",
            "import os\nfor p in os.listdir('/proc'):\n    open(f'/proc/{p}/mem', 'rb').read(1)"),
    _attack("a full disk is the answer's own", "f = open('/tmp/f', 'wb')\nwhile True: f.write(b'x' * 1_000_000)"),
    _attack("a fork bomb stays small", "import os\nwhile os.fork(): pass\nimport time; time.sleep(60)"),
    _attack("memory has an end", "x = []\nwhile True: x.append(bytearray(10_000_000))"),
    _attack("there is no way out", "import socket; socket.create_connection(('1.1.1.1', 443), 1)"),
)  # fmt: skip


def run_conformance(
    client: Client, *, scenarios: Iterable[Scenario] = SCENARIOS, on_row: Callable[[Row], None] | None = None
) -> list[Row]:
    """Run every scenario, and many at once, and one that is cancelled.

    Args:
        client: The client to try.
        scenarios: Which to run.
        on_row: Called with each row as it is there.
    """
    rows: list[Row] = []

    def add(name: str, group: str, attempt: Callable[[], str]) -> None:
        begun = time.monotonic()
        detail = attempt()
        rows.append(Row(name, group, not detail, detail, time.monotonic() - begun))
        if on_row is not None:
            on_row(rows[-1])

    for scenario in scenarios:
        add(scenario.name, scenario.group, lambda each=scenario: _run_one(client, each))  # type: ignore[misc]
    add(f"{_AT_ONCE} runs at once", "many", lambda: asyncio.run(_run_many(client)))
    add("a cancelled run ends at once", "many", lambda: asyncio.run(_cancel_one(client)))
    return rows


def _run_one(client: Client, scenario: Scenario) -> str:
    return scenario.why_broken(client.run(scenario.environment, scenario.answer))


async def _run_many(client: Client) -> str:
    env = Environment(task="many", verifier_code=_SUM)
    answers = [_RIGHT, ""] * (_AT_ONCE // 2)
    results = await asyncio.gather(*[client.arun(env, answer) for answer in answers])
    scores = [result.score if result.has_verdict else None for result in results]
    return "" if scores == [1.0, 0.0] * (_AT_ONCE // 2) else f"scores {scores}"


async def _cancel_one(client: Client) -> str:
    env = Environment(task="cancelled", verifier_code="import time\ntime.sleep(60)", timeout=90.0)
    run = asyncio.ensure_future(client.arun(env, ""))
    await asyncio.sleep(1.0)
    begun = time.monotonic()
    run.cancel()
    await asyncio.wait({run}, timeout=30.0)
    took = time.monotonic() - begun
    return (
        "" if run.cancelled() and took < 10.0 else f"it took {took:.1f} s, and cancelled is {run.cancelled()}"
    )

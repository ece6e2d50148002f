"""Nothing that a child does changes the template that the next one is cloned from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deepgym import DeepGym, Environment
from deepgym_solution._isolation.bwrap import find_bwrap
from tests.support import require

# What an answer can see of the process that it was cloned into, as text: modules and their contents, builtins, the
# environment, files, random's state. Addresses are left out; they differ from child to child only by the kernel's choice.
LOOK = """
import builtins, gc, hashlib, os, random, sys

def look():
    parts = [sorted(sys.modules), sorted(vars(builtins)), sorted(os.environ.items()), sys.path, os.listdir("/tmp")]
    parts.append(sorted((name, sorted(vars(module))) for name, module in sys.modules.items() if module))
    parts.append(len(gc.get_objects()) // 2000)
    parts.append(random.random())
    parts.append(sorted(os.listdir("/dev/shm")))
    parts.append((sys.getrecursionlimit(), sys.getswitchinterval(), os.umask(0), os.getcwd()))
    return hashlib.sha256(repr(parts).encode()).hexdigest()
"""

SPOIL = """
import builtins, json, os, random, sys, types

builtins.sum = lambda values: 1
json.dumps = lambda value: "spoiled"
sys.modules["heapq"] = types.ModuleType("heapq")
sys.path.insert(0, "/tmp")
sys.setrecursionlimit(123456)
os.environ["SPOILED"] = "yes"
random.seed(5)
for folder in ("/tmp", "/dev/shm"):
    with open(folder + "/spoiled", "w") as file:
        file.write("spoiled")
for frame in sys._current_frames().values():
    while frame is not None:
        frame.f_globals["spoiled"] = True
        frame = frame.f_back

def look():
    return "spoiled"
"""

ENV = Environment(
    task="Say what you see.",
    verifier_code="""
from deepgym_solution import load_solution
return {"score": 1.0, "details": load_solution(solution_path).look()}
""",
)


@pytest.fixture(scope="module", params=["nested", "pool"])
def client(request: pytest.FixtureRequest) -> Iterator[DeepGym]:
    path, why = find_bwrap()
    require("bwrap", None if path else why)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEEPGYM_LOCAL_WAY", request.param)
        with DeepGym() as client:
            client.run(ENV, LOOK)
            yield client


def test_an_answer_finds_what_the_one_before_it_found(client: DeepGym) -> None:
    before = client.run(ENV, LOOK)
    spoiled = client.run(ENV, SPOIL)
    after = client.run(ENV, LOOK)
    assert spoiled.details == "spoiled", spoiled
    assert len(before.details) == 64, before
    assert after.details == before.details

"""What a verifier can do with a loaded solution, and what comes back."""

import pytest

from tests.integration.judging import check, run

ANSWER = """
import enum, collections, functools

LIMIT = 7
NAMES = ("a", "b")
TABLE = {"k": [1, 2]}

def add(a, b=10, *rest, scale=1):
    return (a + b + sum(rest)) * scale

def collect(*args, **kwargs):
    return [list(args), kwargs]

def sort_in_place(items):
    items.sort()

def grow(items, more):
    items.append(more)
    return len(items)

def shout(text): return text.upper()
def _private(): return "private"
def großartig(ärger): return ärger * 2

class Stack:
    size_limit = 3
    def __init__(self, *items): self.items = list(items)
    def push(self, item): self.items.append(item)
    def pop(self): return self.items.pop()
    def __len__(self): return len(self.items)
    def child(self): return Stack(*self.items)
    @property
    def top(self): return self.items[-1]
    @staticmethod
    def version(): return 2

class Point(collections.namedtuple("Point", "x y")): pass
class Color(enum.IntEnum): RED = 1
def point(): return Point(1, 2)
def color(): return Color.RED
def counter(): return collections.Counter("aab")
lazy = functools.partial(add, 1)
calls = 0
def count():
    global calls
    calls += 1
    return calls
"""


def test_functions_are_called_with_all_kinds_of_arguments(each_dg):
    check(
        each_dg,
        ANSWER,
        """
        sol = load_solution(solution_path)
        assert sol.add(1) == 11
        assert sol.add(1, 2, 3, scale=2) == 12
        assert sol.call("add", 1, b=4) == 5
        assert sol.collect(1, "x", self=2, name=3, session=4) == [[1, "x"], {"self": 2, "name": 3, "session": 4}]
        assert sol.großartig("ä") == "ää" and sol.großartig(ärger=2) == 4
        assert sol._private() == "private"
        assert sol.lazy(2) == 3
        assert type(sol.point()) is tuple and sol.point() == (1, 2)
        assert type(sol.color()) is int and type(sol.counter()) is dict
        assert sol.count() == 1 and sol.count() == 2
        """,
    )


def test_constants_are_read_and_names_are_asked_for(dg):
    check(
        dg,
        ANSWER,
        """
        sol = load_solution(solution_path)
        assert sol.LIMIT == 7 and sol.NAMES == ("a", "b") and sol.TABLE == {"k": [1, 2]}
        assert hasattr(sol, "add") and hasattr(sol, "LIMIT") and hasattr(sol, "Stack")
        assert not hasattr(sol, "missing")
        assert getattr(sol, "missing", 5) == 5
        with _t.raises(AttributeError, "missing"):
            sol.missing()
        with _t.raises(SolutionError, "missing"):
            sol.call("missing", 1)
        with _t.raises(AttributeError):
            sol.__wrapped__
        """,
    )


def test_nothing_can_be_assigned_to_a_solution_or_an_object_of_it(dg):
    check(
        dg,
        ANSWER,
        """
        sol = load_solution(solution_path)
        stack = sol.Stack(1)
        for target in (sol, stack):
            with _t.raises(AttributeError):
                target.LIMIT = 100
        assert sol.LIMIT == 7
        """,
    )


def test_arguments_changed_in_place_come_back_when_asked_for(dg):
    check(
        dg,
        ANSWER,
        """
        sol = load_solution(solution_path)
        mine = [3, 1, 2]
        result, (after,) = sol.call("sort_in_place", mine, returns="args")
        assert result is None and after == [1, 2, 3] and mine == [3, 1, 2]
        assert sol.call("grow", [1], 2, returns="args") == (2, [[1, 2], 2])
        with _t.raises(ValueError, "returns"):
            sol.call("grow", [1], 2, returns="all")
        """,
    )


def test_what_cannot_cross_is_named(dg):
    check(
        dg,
        """
        import decimal, threading
        def number(): return decimal.Decimal(1)
        def nested(): return {"a": [1, {"b": (n for n in "x")}]}
        async def later(): return 1
        def function(): return lambda: True
        def lock(): return threading.Lock()
        def itself():
            items = []
            items.append(items)
            return items
        class Liar:
            def __eq__(self, other): return True
            def __bool__(self): return True
        def liar(): return Liar()
        """,
        """
        sol = load_solution(solution_path)
        for name, words in (("number", "decimal.Decimal"), ("nested", "generator"), ("later", "await"),
                            ("function", "function"), ("lock", "lock"), ("itself", "contains itself"),
                            ("liar", "Liar")):
            with _t.raises(SolutionError, words):
                sol.call(name)
        with _t.raises(TypeError, "plain data"):
            sol.liar(object())
        """,
    )


def test_a_class_gives_a_handle_whose_methods_and_attributes_are_there(each_dg):
    check(
        each_dg,
        ANSWER,
        """
        sol = load_solution(solution_path)
        stack = sol.Stack(1, 2)
        stack.push(5)
        assert stack.pop() == 5 and stack.items == [1, 2] and stack.top == 2 and stack.size_limit == 3
        assert stack.call("__len__") == 2 and stack.version() == 2
        assert hasattr(stack, "push") and not hasattr(stack, "missing")
        with _t.raises(SolutionError, "Stack"):
            stack.child()
        other = stack.call("child", returns="handle")
        other.push(9)
        assert other.items == [1, 2, 9] and stack.items == [1, 2]
        assert isinstance(other, Handle) and "handle" in repr(other)
        with _t.raises(IndexError):
            sol.Stack().pop()
        """,
    )


def test_a_handle_is_no_data(dg):
    check(
        dg,
        """
        class Any:
            def __eq__(self, other): return True
            def __getattr__(self, name): return Any()
            __bool__ = __len__ = lambda self: 1
            __int__ = __index__ = __float__ = lambda self: 1
            __add__ = __radd__ = __lt__ = lambda self, other: True
        """,
        """
        import copy, json, math, operator, pickle
        sol = load_solution(solution_path)
        thing = sol.Any()
        uses = [bool, len, list, int, float, complex, hash, str, bytes, iter, next, copy.copy, pickle.dumps,
                math.trunc, math.floor, abs, operator.neg, operator.index, round, reversed, os.fspath,
                lambda x: f"{x}", lambda x: x == 1, lambda x: 1 == x, lambda x: x != 1, lambda x: x in (1, 2),
                lambda x: 1 in x, lambda x: x < 1, lambda x: 1 < x, lambda x: x + 1, lambda x: 1 + x,
                lambda x: x * 2, lambda x: x % 2, lambda x: x ** 2, lambda x: x // 2, lambda x: x & 1,
                lambda x: x | 1, lambda x: x[0], lambda x: x(), lambda x: not x, lambda x: {x: 1},
                lambda x: sorted([x, 1]), lambda x: max(x, 1), lambda x: sum([x])]
        for number, use in enumerate(uses):
            try:
                use(thing)
            except SolutionError:
                continue
            raise AssertionError(f"use {number} passed")
        """,
    )


def test_a_handle_dies_with_its_process(dg):
    check(
        dg,
        ANSWER + "\ndef hang():\n    while True: pass\n",
        """
        sol = load_solution(solution_path, case_timeout=0.3)
        stack = sol.Stack(1)
        with _t.raises(SolutionTimeoutError):
            sol.hang()
        for use in (lambda: stack.pop(), lambda: stack.items, lambda: stack.call("pop")):
            with _t.raises(SolutionError, "gone"):
                use()
        fresh = sol.Stack(4)
        with _t.raises(SolutionError, "gone"):
            stack.pop()
        assert fresh.pop() == 4
        """,
    )


def test_forgotten_objects_are_freed_over_there(dg):
    check(
        dg,
        """
        import weakref
        alive = weakref.WeakSet()
        class Thing:
            def __init__(self): alive.add(self)
        def count(): return len(alive)
        """,
        """
        sol = load_solution(solution_path)
        kept = [sol.Thing() for _ in range(20)]
        assert sol.count() == 20
        del kept[5:]
        assert sol.count() == 5
        for _ in range(300):
            sol.Thing()
        assert sol.count() <= 6
        """,
    )


def test_a_time_out_costs_the_process_and_the_next_call_gets_a_fresh_one(each_dg):
    result = check(
        each_dg,
        """
        import time
        state = []
        def remember(x):
            state.append(x)
            return len(state)
        def hang(): time.sleep(60)
        """,
        """
        sol = load_solution(solution_path)
        assert sol.remember(1) == 1 and sol.remember(2) == 2
        begun = time.monotonic()
        with _t.raises(SolutionTimeoutError, "0.2 s"):
            sol.call("hang", timeout=0.2)
        with _t.raises(TimeoutError):
            sol.call("hang", timeout=0.2)
        assert time.monotonic() - begun < 3
        assert sol.remember(1) == 1
        """,
    )
    assert result.execution_time_ms < 10_000


def test_a_crash_costs_the_process_and_the_next_call_gets_a_fresh_one(dg):
    check(
        dg,
        """
        import ctypes, os
        def segfault(): ctypes.string_at(0)
        def leave(): os._exit(0)
        def abort(): os.abort()
        def fine(): return 1
        """,
        """
        sol = load_solution(solution_path)
        for name, words in (("segfault", "signal 11"), ("leave", "exit status 0"), ("abort", "signal")):
            with _t.raises(SolutionError, words):
                sol.call(name)
            assert sol.fine() == 1
        """,
    )


def test_exceptions_arrive_as_the_builtin_that_they_are(dg):
    check(
        dg,
        """
        import json
        class Own(KeyError): pass
        class Deep(Own): pass
        class Plain(Exception): pass
        KINDS = {}
        def fail(name, text):
            raise {"Own": Own, "Deep": Deep, "Plain": Plain}.get(name) or getattr(__builtins__, name, None)(text)
        def fail(name, text):
            import builtins
            kind = {"Own": Own, "Deep": Deep, "Plain": Plain}.get(name) or getattr(builtins, name)
            raise kind(text)
        def decode(): json.loads("{")
        def divide(): return 1 / 0
        def odd():
            class Odd(ValueError):
                def __str__(self): raise RuntimeError
            raise Odd()
        def leave(): raise SystemExit(0)
        """,
        """
        import builtins
        sol = load_solution(solution_path)
        for name in ("ValueError", "TypeError", "KeyError", "IndexError", "RecursionError", "AssertionError",
                     "FileNotFoundError", "OverflowError", "NotImplementedError", "PermissionError", "EOFError"):
            with _t.raises(getattr(builtins, name), "the words"):
                sol.fail(name, "the words")
            with _t.raises(SolutionError, "the words"):
                sol.fail(name, "the words")
        with _t.raises(KeyError, "Own"):
            sol.fail("Own", "x")
        with _t.raises(LookupError):
            sol.fail("Deep", "x")
        with _t.raises(ZeroDivisionError):
            sol.divide()
        with _t.raises(ValueError):
            sol.decode()
        with _t.raises(ValueError):
            sol.odd()
        try:
            sol.fail("Plain", "x" * 100_000)
        except SolutionError as exc:
            assert not isinstance(exc, (LookupError, ValueError)) and "Plain" in str(exc)
            assert len(str(exc)) < 5_000 and "fail" in exc.solution_traceback
            assert len(exc.solution_traceback) < 20_000
        """,
    )


@pytest.mark.parametrize(
    "statement",
    [
        "raise SystemExit(0)",
        "raise KeyboardInterrupt",
        "raise GeneratorExit",
        "raise BaseException('x')",
        "class LaunchError(BaseException): pass\nraise LaunchError('the machine failed')",
        "class LaunchError(BaseException): __module__ = 'deepgym_solution.errors'\nraise LaunchError('x')",
        "import sys; sys.exit()",
        "exit()",
        "quit(3)",
    ],
)
def test_no_base_exception_arrives_as_itself(dg, statement):
    body = statement.replace("\n", "\n    ")
    check(
        dg,
        f"def f():\n    {body}\n",
        """
        sol = load_solution(solution_path)
        try:
            sol.f()
        except BaseException as exc:
            assert isinstance(exc, SolutionError) and isinstance(exc, Exception), repr(exc)
            assert not isinstance(exc, (SystemExit, KeyboardInterrupt, GeneratorExit, LaunchError))
        else:
            raise AssertionError
        """,
    )
    check(
        dg,
        statement,
        """
        with _t.raises(SolutionError):
            load_solution(solution_path)
        """,
    )


def test_map_gives_a_result_or_an_error_for_each_case_in_order(each_dg):
    check(
        each_dg,
        """
        import os, time
        def f(x, y=0):
            if x == 3: raise ValueError("three")
            if x == 5: time.sleep(60)
            if x == 7: os._exit(1)
            if x == 9: return object()
            return x * 10 + y
        """,
        """
        sol = load_solution(solution_path)
        begun = time.monotonic()
        found = sol.map("f", range(12), timeout=0.3)
        assert time.monotonic() - begun < 5
        assert isinstance(found[3], ValueError) and isinstance(found[5], SolutionTimeoutError)
        assert isinstance(found[7], SolutionError) and "object" in str(found[9])
        assert [found[n] for n in (0, 1, 2, 4, 6, 8, 10, 11)] == [0, 10, 20, 40, 60, 80, 100, 110]
        assert sol.map("f", [(1, 2), (2, 3)]) == [12, 23]
        assert sol.map("f", []) == []
        errors = sol.map("missing", [1, 2])
        assert len(errors) == 2 and all(isinstance(error, AttributeError) for error in errors)
        """,
    )


def test_map_makes_ten_thousand_calls_quickly(dg):
    check(
        dg,
        "def f(x): return x + 1",
        """
        sol = load_solution(solution_path)
        begun = time.monotonic()
        assert sol.map("f", range(10_000)) == list(range(1, 10_001))
        assert time.monotonic() - begun < 5
        """,
    )


def test_map_takes_more_than_fits_in_one_frame(dg):
    check(
        dg,
        "def size(text): return len(text)\ndef big(n): return 'x' * n",
        """
        sol = load_solution(solution_path)
        texts = ["x" * 300_000] * 300
        assert sol.map("size", texts) == [300_000] * 300
        assert sol.map("big", [300_000] * 300) == texts
        """,
    )


def test_threads_of_a_verifier_may_share_a_solution(dg):
    check(
        dg,
        "class Box:\n    def __init__(self, x): self.x = x\n    def get(self): return self.x\ndef f(x): return x",
        """
        from concurrent.futures import ThreadPoolExecutor
        sol = load_solution(solution_path)
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(sol.f, range(1000))) == list(range(1000))
            assert list(pool.map(lambda n: sol.Box(n).get(), range(300))) == list(range(300))
        """,
    )


def test_an_asynchronous_verifier_works(dg):
    check(
        dg,
        "def f(x): return x * 2",
        """
        import asyncio
        sol = load_solution(solution_path)
        async def main():
            return await asyncio.gather(*(asyncio.to_thread(sol.f, n) for n in range(50)))
        assert asyncio.run(main()) == [n * 2 for n in range(50)]
        """,
    )


def test_processes_of_a_verifier_load_their_own_and_do_not_share(dg):
    check(
        dg,
        "def f(x): return x * 2",
        """
        import multiprocessing
        sol = load_solution(solution_path)
        context = multiprocessing.get_context("fork")
        def work(n):
            try:
                sol.f(n)
            except RuntimeError as exc:
                assert "another process" in str(exc)
                return load_solution(solution_path).f(n)
        globals()["work"] = work
        globals()["__name__"] = "__main__"
        sys.modules["__main__"].work = work
        work.__qualname__, work.__module__ = "work", "__main__"
        with context.Pool(3) as pool:
            assert pool.map(work, range(6)) == [0, 2, 4, 6, 8, 10]
        assert sol.f(4) == 8
        """,
    )


def test_many_solutions_may_be_loaded_one_after_another_and_side_by_side(dg):
    check(
        dg,
        "import os\nstate = []\ndef add(x):\n    state.append(x)\n    return list(state)",
        """
        for n in range(200):
            assert load_solution(solution_path).add(n) == [n]
        assert len(os.listdir("/proc/self/fd")) < 40
        a, b = load_solution(solution_path), load_solution(solution_path)
        assert a.add(1) == [1] and b.add(2) == [2] and a.add(3) == [1, 3]
        with load_solution(solution_path) as c:
            assert c.add(1) == [1]
        assert c.add(1) == [1]
        """,
        timeout=30,
    )


def test_names_that_the_proxy_uses_itself_are_reached_by_call(dg):
    check(
        dg,
        "def call(x): return x\ndef map(x): return x + 1\ndef close(): return 'open'\n_session = 5",
        """
        sol = load_solution(solution_path)
        assert sol.call("call", 1) == 1 and sol.call("map", 1) == 2 and sol.call("close") == "open"
        """,
    )


HONEST = {
    "threads": """
        import threading
        def f():
            found = []
            threads = [threading.Thread(target=found.append, args=(n,)) for n in range(20)]
            for t in threads: t.start()
            for t in threads: t.join()
            return sorted(found) == list(range(20))
    """,
    "a pool of processes": """
        import multiprocessing
        def square(x): return x * x
        def f():
            with multiprocessing.Pool(4) as pool:
                return pool.map(square, range(20)) == [x * x for x in range(20)]
    """,
    "concurrent futures": """
        from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
        def square(x): return x * x
        def f():
            with ProcessPoolExecutor(2) as pool, ThreadPoolExecutor(2) as threads:
                return list(pool.map(square, [1, 2])) == list(threads.map(square, [1, 2])) == [1, 4]
    """,
    "queues, locks, shared values and a manager": """
        import multiprocessing
        def work(queue, lock, value, shared):
            with lock:
                value.value += 1
                shared.append(value.value)
                queue.put(value.value)
        def f():
            queue, lock, value = multiprocessing.Queue(), multiprocessing.Lock(), multiprocessing.Value("i", 0)
            with multiprocessing.Manager() as manager:
                shared = manager.list()
                processes = [
                    multiprocessing.Process(target=work, args=(queue, lock, value, shared)) for _ in range(3)
                ]
                for process in processes: process.start()
                found = sorted(queue.get() for _ in processes)
                for process in processes: process.join()
                return found == list(shared) == [1, 2, 3]
    """,
    "asyncio": """
        import asyncio
        async def one(n):
            await asyncio.sleep(0.001)
            return n
        async def main(): return await asyncio.gather(*map(one, range(20)))
        def f(): return asyncio.run(main()) == list(range(20))
    """,
    "pickling its own classes": """
        import pickle, copy
        class Node:
            def __init__(self, x): self.x = x
        def f():
            node = pickle.loads(pickle.dumps(Node([1])))
            return type(node) is Node and copy.deepcopy(node).x == [1]
    """,
    "its own source": """
        import inspect
        def f():
            "words"
            return "words" in inspect.getsource(f) and "def f" in open(__file__).read() and __name__ == "solution"
    """,
    "dataclasses and typing": """
        from __future__ import annotations
        import dataclasses, typing
        @dataclasses.dataclass(frozen=True, order=True)
        class P:
            x: int
            y: list[int] = dataclasses.field(default_factory=list)
        def f(): return typing.get_type_hints(P)["x"] is int and P(1) < P(2)
    """,
    "deep recursion": """
        import sys
        sys.setrecursionlimit(50_000)
        def depth(n): return 0 if n == 0 else 1 + depth(n - 1)
        def f(): return depth(20_000) == 20_000
    """,
    "deep recursion in a thread of its own": """
        import sys, threading
        def depth(n): return 0 if n == 0 else 1 + depth(n - 1)
        def f():
            sys.setrecursionlimit(200_000)
            threading.stack_size(256 * 1024 * 1024)
            found = []
            t = threading.Thread(target=lambda: found.append(depth(100_000)))
            t.start(); t.join()
            return found == [100_000]
    """,
    "recursion without end, caught": """
        def down(): return down()
        def f():
            try: down()
            except RecursionError: return True
    """,
    "prints and standard streams": """
        import sys, logging, warnings
        print("at import")
        def f():
            print("x" * 1000, flush=True)
            sys.stdout.write("y"); sys.stderr.write("z"); sys.stdout.buffer.write(b"\\xff")
            logging.warning("w"); warnings.warn("v")
            try: input()
            except EOFError: return True
    """,
    "fifty megabytes of output": """
        def f():
            for _ in range(50): print("x" * 1_000_000)
            return True
    """,
    "time, random, hashing": """
        import random, time, hashlib, uuid, datetime, secrets
        def f():
            random.seed(1)
            return random.random() < 1 and time.time() > 1e9 and len(hashlib.md5(b"").hexdigest()) == 32 \\
                and uuid.uuid4() != uuid.uuid4() and datetime.datetime.now().year > 2000 and secrets.token_bytes(4) != b""
    """,
    "temporary files and sqlite": """
        import tempfile, sqlite3, os
        def f():
            with tempfile.NamedTemporaryFile("w+") as file:
                file.write("x"); file.flush(); file.seek(0)
                ok = file.read() == "x"
            db = sqlite3.connect(":memory:"); db.execute("create table t (a)")
            open("mine.txt", "w").write("y")
            return ok and open("mine.txt").read() == "y" and os.path.exists(os.getcwd())
    """,
    "signals and alarms": """
        import signal, time
        def f():
            hits = []
            signal.signal(signal.SIGALRM, lambda *_: hits.append(1))
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            time.sleep(0.1)
            return hits == [1]
    """,
    "fork and wait": """
        import os
        def f():
            r, w = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.write(w, b"child"); os._exit(3)
            _, status = os.waitpid(pid, 0)
            return os.read(r, 5) == b"child" and os.waitstatus_to_exitcode(status) == 3
    """,
    "a module that changes the interpreter": """
        import sys, builtins, gc, locale, decimal
        sys.setswitchinterval(0.001); gc.disable(); decimal.getcontext().prec = 5
        builtins.print = lambda *a, **k: None
        sys.stdout = open("/dev/null", "w")
        def f(): return True
    """,
    "helpers of the site module": """
        def f(): return callable(exit) and callable(quit) and "Python" in repr(copyright) and callable(help)
    """,
    "unicode everywhere": """
        π = 3
        def 面积(r): return π * r * r
        class Ñandú: pass
        def f(): return 面积(2) == 12 and Ñandú.__name__ == "Ñandú"
    """,
}


@pytest.mark.parametrize("solution", HONEST.values(), ids=HONEST)
def test_an_honest_answer_may_use(each_dg, solution):
    check(each_dg, solution, "assert load_solution(solution_path).f() is True")


def test_an_honest_answer_may_use_numpy_where_the_machine_has_it(each_dg):
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    assert numpy
    check(
        each_dg,
        """
        import numpy as np
        def total(): return np.arange(10).sum()
        def matrix(): return (np.eye(50) @ np.ones((50, 50))).sum()
        def array(): return np.zeros(2)
        def flag(): return np.bool_(True)
        """,
        """
        sol = load_solution(solution_path)
        assert sol.total() == 45 and type(sol.total()) is int
        assert sol.matrix() == 2500.0 and type(sol.matrix()) is float
        assert sol.flag() is True
        with _t.raises(SolutionError, "tolist"):
            sol.array()
        """,
    )


def test_nothing_of_ours_can_be_imported(each_dg):
    check(
        each_dg,
        """
        import sys
        def f():
            try:
                import deepgym_solution
            except ImportError:
                return [name for name in sys.modules if "deepgym" in name]
        if __name__ == "__main__":
            print(f())
        """,
        """
        sol = load_solution(solution_path)
        assert sol.f() == [] and sol.f() == []
        assert run_solution(solution_path).stdout == "[]\\n"
        """,
    )


def test_equal_runs_repeat(dg):
    lines = """
        sol = load_solution(solution_path)
        return {"score": 1.0, "details": str([sol.draw(), sol.order(), sol.draw()])}
    """
    answer = """
        import random
        def draw(): return random.random()
        def order(): return list({"a", "b", "c", "d", "e"})
    """
    first, second = (run(dg, answer, lines, seed=7) for _ in range(2))
    other = run(dg, answer, lines, seed=8)
    assert first.details == second.details != other.details


def test_an_answer_of_any_text_is_judged(dg):
    for text in (
        "",
        "\0",
        "x = '\ud800'",
        "é",
        "\ufeffx = 1",
        "x = 1\r\ny = 2\r\n",
        "(" * 10_000,
        "x = " + "1" * 100_000,
    ):
        result = run(dg, text, "load_solution(solution_path).f()")
        assert (result.has_verdict, result.score) == (True, 0.0), repr(text[:20])
        assert result.error_type == "solution_error"


@pytest.mark.parametrize("megabytes", [5, 40, 70])
def test_a_huge_answer_is_judged(dg, megabytes):
    result = run(dg, f"x = '{'a' * megabytes * 1_000_000}'", "assert len(load_solution(solution_path).x) > 1")
    assert result.has_verdict
    assert result.score == (1.0 if megabytes == 5 else 0.0)


def test_an_answer_that_does_not_fit_in_its_limits_is_its_own_fault(each_dg):
    for limit in ({"tmp_mb": 1}, {"file_size_mb": 1}):
        result = run(each_dg, f"x = '{'a' * 4_000_000}'", "load_solution(solution_path)", **limit)
        assert (result.has_verdict, result.error_type) == (True, "solution_error"), result.details

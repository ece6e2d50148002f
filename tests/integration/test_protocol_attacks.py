"""A solution that speaks to the judge past the runtime: whatever it writes is a lie of its own, and mostly its end."""

import pytest

from tests.integration.judging import check, run

# What each attack may use: the bytes of a frame, and the id of the call under way, found in the runtime's own frames.
TOOLS = """
import os, struct, sys, threading, time
VALUE, HANDLE, MISSING, RAISED, NOT_PLAIN, RESULTS = 19, 21, 23, 24, 25, 26
TRUE = b"T"

def frame(kind, call_id, payload):
    return struct.pack("<IBI", len(payload), kind, call_id) + payload

def current_id():
    at = sys._getframe()
    while at is not None:
        if "call_id" in at.f_locals:
            return at.f_locals["call_id"]
        at = at.f_back
    return None

def write(data): os.write(3, data)
def fine(): return 1
"""

FATAL = {
    "a reply before the call": "def f(): write(frame(VALUE, 12345, TRUE)); return 1",
    "replies for every small id": "def f(): write(b''.join(frame(VALUE, n, TRUE) for n in range(500))); return 1",
    "a truncated frame and death": "def f(): write(frame(VALUE, current_id(), b's' + b'x' * 50)[:20]); os._exit(0)",
    "a giant length": "def f(): write(struct.pack('<IBI', 2**32 - 1, VALUE, current_id())); time.sleep(60)",
    "a length just over the limit": "def f(): write(struct.pack('<IBI', 64 * 2**20 + 1, VALUE, 0)); time.sleep(60)",
    "no frame at all": "def f(): write(b'HTTP/1.1 200 OK\\r\\n\\r\\n' * 10); return 1",
    "an unknown kind": "def f(): write(frame(200, current_id(), TRUE)); time.sleep(60)",
    "the kind of another reply": "def f(): write(frame(HANDLE, current_id(), TRUE)); time.sleep(60)",
    "a second start": "def f(): write(frame(16, current_id(), b'N')); time.sleep(60)",
    "a launch failure": "def f(): write(frame(17, current_id(), b's\\x02\\x00\\x00\\x00no')); time.sleep(60)",
    "too large": "def f(): write(frame(27, current_id(), b's\\x02\\x00\\x00\\x00no')); time.sleep(60)",
    "an unknown tag": "def f(): write(frame(VALUE, current_id(), b'O')); time.sleep(60)",
    "a pickle": "import pickle\ndef f(): write(frame(VALUE, current_id(), pickle.dumps(1))); time.sleep(60)",
    "bytes behind the value": "def f(): write(frame(VALUE, current_id(), TRUE + b'T')); time.sleep(60)",
    "an empty payload": "def f(): write(frame(VALUE, current_id(), b'')); time.sleep(60)",
    "a count without items": "def f(): write(frame(VALUE, current_id(), b'l\\xff\\xff\\xff\\x00v')); time.sleep(60)",
    "depth without end": "def f(): write(frame(VALUE, current_id(), b'l\\x01\\x00\\x00\\x00v' * 5000 + b'N')); time.sleep(60)",
    "a missing name that is no text": "def f(): write(frame(MISSING, current_id(), TRUE)); time.sleep(60)",
    "a hint that is no text": "def f(): write(frame(NOT_PLAIN, current_id(), TRUE)); time.sleep(60)",
    "an exception of no known form": "def f(): write(frame(RAISED, current_id(), TRUE)); time.sleep(60)",
}


@pytest.mark.parametrize("attack", FATAL)
def test_a_broken_protocol_is_the_solutions_end_for_good(each_dg, attack):
    check(
        each_dg,
        TOOLS + FATAL[attack],
        """
        sol = load_solution(solution_path)
        failures = 0
        for name in ("f", "fine", "fine"):
            try:
                sol.call(name)
            except SolutionProtocolError:
                failures += 1
        assert failures >= 2, failures
        """,
    )


def test_a_forged_reply_to_the_current_call_is_the_answer_and_the_true_one_is_the_end(dg):
    check(
        dg,
        TOOLS + "def f(): write(frame(VALUE, current_id(), TRUE)); return 1",
        """
        sol = load_solution(solution_path)
        assert sol.f() is True
        with _t.raises(SolutionProtocolError, "no call was waiting"):
            sol.fine()
        with _t.raises(SolutionProtocolError):
            sol.fine()
        """,
    )


def test_a_thread_that_floods_the_channel_gains_nothing(dg):
    check(
        dg,
        TOOLS
        + """
def flood():
    try:
        while True: write(frame(VALUE, 7, TRUE) * 1000)
    except OSError: pass
threading.Thread(target=flood, daemon=True).start()
""",
        """
        with _t.raises(SolutionProtocolError):
            sol = load_solution(solution_path)
            sol.fine()
        """,
    )


def test_forged_results_of_many_calls_are_only_claims(dg):
    check(
        dg,
        TOOLS + "def f(x):\n    write(frame(RESULTS, current_id() or 0, b'N'))\n    return x",
        """
        sol = load_solution(solution_path)
        found = sol.map("f", range(50))
        assert len(found) == 50 and all(isinstance(item, SolutionError) for item in found[1:])
        """,
    )


def test_a_solution_that_takes_over_its_runtime_gains_only_its_own_word(dg):
    check(
        dg,
        TOOLS
        + """
import gc
for item in gc.get_objects():
    if type(item).__name__ == "_Channel":
        item.send_payload = lambda kind, call_id, data: write(frame(kind, call_id, TRUE))
        break
runtime = sys._getframe()
while runtime is not None:
    if "wire" in runtime.f_globals:
        runtime.f_globals["wire"].encode_value = lambda value: TRUE
    runtime = runtime.f_back
def f(): return False
""",
        """
        sol = load_solution(solution_path)
        try:
            answer = sol.f()
        except SolutionError:
            answer = None
        assert answer is None or type(answer) is bool
        """,
    )


def test_large_and_hostile_values_cost_little(dg):
    result = run(
        dg,
        TOOLS
        + "def f(n): write(frame(VALUE, current_id(), b'l' + struct.pack('<IB', n, 0x76) + b'l\\0\\0\\0\\0v' * n))",
        """
        import resource
        sol = load_solution(solution_path)
        begun = time.monotonic()
        with _t.raises(SolutionProtocolError):
            sol.f(10_000_000)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert peak < 600_000, peak
        """,
    )
    assert result.score == 1.0, result.details

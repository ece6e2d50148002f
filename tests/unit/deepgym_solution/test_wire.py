"""The codec: what goes in comes out, of identical types, and hostile bytes give one error in bounded cost."""

import collections
import enum
import math
import struct
import sys
import time
import tracemalloc
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from deepgym_solution._child import decoder, encoder
from deepgym_solution._child.wire import (
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_FRAME_BYTES,
    MAX_NODES,
    EncodeError,
    WireError,
    decode_value,
    encode_value,
)
from deepgym_solution._child.wire_format import MAX_INT_BYTES

TEXT = st.text(st.characters(exclude_categories=()), max_size=20)  # lone surrogates too
KEY_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | TEXT
    | st.binary(max_size=20)
)
KEYS = st.recursive(
    KEY_SCALARS,
    lambda inner: st.lists(inner, max_size=4).map(tuple) | st.frozensets(inner, max_size=4),
    max_leaves=6,
)
VALUES = st.recursive(
    KEY_SCALARS
    | st.lists(st.integers(), max_size=8)
    | st.lists(TEXT, max_size=8).map(tuple)
    | st.sets(KEYS, max_size=4)
    | st.frozensets(KEYS, max_size=4),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.lists(inner, max_size=5).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.lists(st.lists(inner, max_size=3), max_size=4)
        | st.lists(st.lists(inner, max_size=3).map(tuple), max_size=4)
    ),
    max_leaves=25,
)


def shape(value):
    """The value with every type spelled out and every float by its bits, so that == means identical."""
    kind = type(value)
    if kind is float:
        return kind, struct.pack("<d", value)
    if kind is complex:
        return kind, struct.pack("<dd", value.real, value.imag)
    if kind in (list, tuple):
        return kind, [shape(item) for item in value]
    if kind in (set, frozenset):
        return kind, sorted((shape(item) for item in value), key=repr)
    if kind is dict:
        return kind, [(shape(key), shape(item)) for key, item in value.items()]
    return kind, value


@given(VALUES)
@example([float("nan"), -0.0, math.inf])
@example(["\ud83d", "\ude00"])
@example([2**63 - 1, -(2**63)])
@example([2**63, -(2**63) - 1])
@example([True, 1, 1.0, 1j])
@example([[], []])
@example([(), ()])
@example([[[1, 2]], [[], [3]]])
@example({float("nan"), float("nan")})
@example({i: str(i) for i in range(40)})
@example(set(range(40)))
def test_a_value_comes_back_identical_and_of_identical_types(value):
    assert shape(decode_value(encode_value(value))) == shape(value)


@given(st.binary(max_size=200))
def test_random_bytes_give_a_value_or_the_one_error(data):
    decode_or_refuse(data)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(VALUES, st.data())
def test_mutated_bytes_give_a_value_or_the_one_error(value, data):
    raw = bytearray(encode_value(value))
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(raw)))
        if data.draw(st.booleans()):
            raw[position : position + data.draw(st.integers(0, 5))] = data.draw(st.binary(max_size=5))
        elif position < len(raw):
            raw[position] ^= 1 << data.draw(st.integers(0, 7))
    decode_or_refuse(bytes(raw))


@given(VALUES)
def test_every_beginning_of_a_value_is_refused(value):
    raw = encode_value(value)
    for end in range(min(len(raw), 60)):
        with pytest.raises(WireError):
            decode_value(raw[:end])


def decode_or_refuse(data):
    try:
        value = decode_value(data)
    except WireError:
        return
    # What was accepted consists of plain types only: it survives the encoder unflattened.
    assert shape(decode_value(encode_value(value))) == shape(value)


# --- Limits -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tag", b"ltezd")
@pytest.mark.parametrize("form", b"vifbslt")
@pytest.mark.parametrize("count", [2**32 - 1, MAX_NODES, 1_000_000])
def test_a_count_that_the_bytes_cannot_hold_is_refused_before_memory_is_spent(tag, form, count):
    data = struct.pack("<BIB", tag, count, form) + b"12345678"
    assert peak_bytes_while_refusing(data) < 100_000


@pytest.mark.parametrize("tag", b"Isb")
def test_a_length_that_the_bytes_cannot_hold_is_refused_before_memory_is_spent(tag):
    assert peak_bytes_while_refusing(struct.pack("<BI", tag, 2**32 - 1)) < 100_000


def peak_bytes_while_refusing(data):
    tracemalloc.start()
    try:
        with pytest.raises(WireError):
            decode_value(data)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_count_far_beyond_any_frame_in_nine_bytes_is_refused():
    with pytest.raises(WireError):
        decode_value(b"l" + (2**40).to_bytes(8, "little"))


def test_more_values_than_the_limit_are_refused_although_their_bytes_are_there(monkeypatch):
    monkeypatch.setattr(decoder, "MAX_NODES", 100)
    assert decode_value(encode_value([None] * 100)) == [None] * 100
    for value in (
        [None] * 101,
        [[None] * 50, [None] * 49],
        {i: i for i in range(51)},
        [set() for _ in range(25)],
    ):
        with pytest.raises(WireError, match="more than 100 values"):
            decode_value(encode_value(value))


def test_the_encoder_refuses_what_the_decoder_would(monkeypatch):
    monkeypatch.setattr(encoder, "MAX_NODES", 100)
    for value in ([None] * 101, [[None] * 50, [None] * 49], [set()] * 25, [[0] * 101], [frozenset()] * 25):
        with pytest.raises(EncodeError, match="too large"):
            encode_value(value)


def test_shared_lists_that_double_forty_times_are_refused_in_bounded_time():
    value: list[object] = [0]
    for _ in range(40):
        value = [value, value]
    with pytest.raises(EncodeError, match="too large"):
        encode_value(value)


def test_text_and_bytes_over_the_limit_are_refused_before_they_are_copied(monkeypatch):
    monkeypatch.setattr(encoder, "MAX_FRAME_BYTES", 1000)
    for value in ("x" * 1001, b"x" * 1001, ["x" * 600, "y" * 600], 1 << 9000, [b"x" * 600, "x" * 600]):
        with pytest.raises(EncodeError, match="too large"):
            encode_value(value)
    with pytest.raises(EncodeError, match="too large"):
        encode_value("\u20ac" * 500)  # 500 characters, 1,500 bytes
    assert decode_value(encode_value("x" * 900)) == "x" * 900


def test_nesting_up_to_the_limit_works_and_one_more_is_refused_on_both_sides(monkeypatch):
    for wrap in (lambda v: [v], lambda v: (v, 1), lambda v: {"k": v}, lambda v: [v, [1]]):
        value: object = 1
        for _ in range(MAX_DEPTH - 1):
            value = wrap(value)
        deepest = encode_value(value)
        assert decode_value(deepest) == value
    too_deep = [[value]]
    with pytest.raises(EncodeError, match="nested more than 200"):
        encode_value(too_deep)
    monkeypatch.setattr(encoder, "MAX_DEPTH", 500)
    with pytest.raises(WireError, match="nested more than 200"):
        decode_value(encode_value(too_deep))


def test_deep_hostile_bytes_are_refused_without_a_recursion_error():
    for level in (b"l\1\0\0\0v", b"t\1\0\0\0l\1\0\0\0", b"l\1\0\0\0t\1\0\0\0", b"d\1\0\0\0v"):
        with pytest.raises(WireError):
            decode_value(level * 100_000)


def test_a_caller_that_is_itself_deep_gets_the_one_error():
    value: object = 1
    for _ in range(150):
        value = [value, 2]
    data = encode_value(value)

    def at_depth(levels, action):
        return action() if levels == 0 else at_depth(levels - 1, action)

    room = sys.getrecursionlimit() - len(__import__("inspect").stack()) - 100
    with pytest.raises(WireError, match="nested"):
        at_depth(room, lambda: decode_value(data))
    with pytest.raises(EncodeError, match="nested"):
        at_depth(room, lambda: encode_value(value))


def test_a_value_that_contains_itself_is_refused():
    loop: list[object] = []
    loop.append(loop)
    branching: dict[str, object] = {}
    branching["a"] = branching["b"] = branching
    for value in (loop, branching):
        with pytest.raises(EncodeError, match="contains itself"):
            encode_value(value)


def test_ints_have_a_limit_of_digits_on_both_sides(monkeypatch):
    largest = (1 << (MAX_INT_BYTES * 8 - 1)) - 1
    for value in (largest, -largest, 10**MAX_DIGITS - 1):
        assert decode_value(encode_value(value)) == value
    with pytest.raises(EncodeError, match="digits"):
        encode_value(largest + 1)
    monkeypatch.setattr(encoder, "MAX_INT_BYTES", 2 * MAX_INT_BYTES)
    with pytest.raises(WireError, match="digits"):
        decode_value(encode_value(largest + 1))


# --- Refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "ends early"),
        (b"?", "unknown tag 63"),
        (b"l\1\0\0\0?N", "unknown form of column 63"),
        (b"NN", "1 bytes follow"),
        (b"l\5\0\0\0vN", "ends early"),
        (b"l\5\0\0\0bN", "ends early"),
        (b"l\1\0\0\0b\2", "neither 0 nor 1"),
        (b"s\1\0\0\0\xff", "not UTF-8"),
        (b"l\1\0\0\0s\2\0\0\0\1\0\0\0a", "add up"),
        (b"l\1\0\0\0l\2\0\0\0\1\0\0\0vN", "add up"),
        (b"d\1\0\0\0vN\0\0\0\0v", "as many values as keys"),
        (b"e\1\0\0\0vl\0\0\0\0v", "cannot be hashed"),
        (b"d\1\0\0\0vl\0\0\0\0v\1\0\0\0vN", "cannot be hashed"),
        (b"e\2\0\0\0vNN", "members of a set are equal"),
        (b"z\2\0\0\0b\1\1", "members of a set are equal"),
        (b"d\2\0\0\0vNN\2\0\0\0vNN", "keys of a dict are equal"),
    ],
)
def test_bytes_that_no_encoder_writes_are_refused(data, message):
    with pytest.raises(WireError, match=message):
        decode_value(data)


@pytest.mark.parametrize("pair", [(1, True), (1, 1.0), (0.0, -0.0), (1.0, 1 + 0j), ((1,), (True,))])
def test_keys_that_are_equal_but_of_different_types_are_duplicates(pair):
    both = encode_value(list(pair))[1:]
    with pytest.raises(WireError, match="equal"):
        decode_value(b"e" + both)
    with pytest.raises(WireError, match="equal"):
        decode_value(b"d" + both + both)


def test_keys_crafted_to_share_a_hash_are_refused_before_they_are_compared():
    prime = 2**61 - 1
    for crafted in ([i * prime for i in range(30_000)], [(1 << 40_000) + i * prime for i in range(1, 4_000)]):
        column = encode_value(crafted)[1:]
        started = time.process_time()
        with pytest.raises(WireError, match="share a hash"):
            decode_value(b"e" + column)
        with pytest.raises(WireError, match="share a hash"):
            decode_value(b"d" + column + column)
        assert time.process_time() - started < 2


def test_honest_keys_that_share_hashes_pass():
    value = {2**i: i for i in range(3000)} | {-1: 0, -2: 0}
    assert decode_value(encode_value(value)) == value


# --- Flattening -------------------------------------------------------------------------------------------


def tampered(base):
    """A subclass of which every method that could be asked anything lies or fails."""

    def refuse(*_args, **_kwargs):
        raise AssertionError("an overridden method ran")

    kept = {
        "__new__",
        "__init__",
        "__class__",
        "__getattribute__",
        "__hash__",
        "__eq__",
        "__init_subclass__",
        "__subclasshook__",
        "__dict__",
    }
    names = {name for name in dir(base) if name not in kept and callable(getattr(base, name))}
    names |= {
        "__bytes__",
        "__index__",
        "__int__",
        "__float__",
        "__complex__",
        "__str__",
        "__iter__",
        "__len__",
        "__buffer__",
        "item",
        "__array__",
    }
    return type(f"Tampered_{base.__name__}", (base,), dict.fromkeys(names, refuse))


@pytest.mark.parametrize(
    "value",
    [
        5,
        2**100,
        -3,
        2.5,
        3 + 4j,
        "text\ud800",
        b"raw",
        [1, "a"],
        (1, "a"),
        {"k": [1]},
        {1, 2},
        frozenset({3}),
        [],
        "",
    ],
    ids=repr,
)
def test_a_tampered_subclass_is_flattened_without_running_its_methods(value):
    odd = tampered(type(value))(value)
    assert shape(decode_value(encode_value(odd))) == shape(value)
    assert shape(decode_value(encode_value([odd, odd, None]))) == shape([value, value, None])
    assert shape(decode_value(encode_value([odd]))) == shape([value])


def test_tampered_keys_are_flattened():
    text, number = tampered(str), tampered(int)
    assert shape(decode_value(encode_value({text("k"): 1, number(2): 2}))) == shape({"k": 1, 2: 2})
    assert decode_value(encode_value({text("k"), number(2)})) == {"k", 2}
    assert decode_value(encode_value({(number(2),): 1})) == {(2,): 1}


def test_keys_that_become_equal_when_flattened_are_refused_by_the_encoder():
    class Own(str):
        __slots__ = ()
        __hash__ = object.__hash__

        def __eq__(self, other):
            return self is other

    for value in ({Own("a"): 1, Own("a"): 2}, {Own("a"), Own("a")}, {Own("a"): 1, "a": 2}):
        with pytest.raises(EncodeError, match="equal as plain data") as caught:
            encode_value(value)
        assert caught.value.type_name.endswith("Own")


def test_the_collections_that_honest_answers_return_are_flattened():
    class Point(NamedTuple):
        x: int
        y: int

    class Colour(enum.IntEnum):
        RED = 1

    class Word(enum.StrEnum):
        A = "a"

    class Bits(enum.IntFlag):
        ONE = 1
        TWO = 2

    cases = [
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (collections.defaultdict(list, {1: [2]}), {1: [2]}),
        (collections.OrderedDict([("b", 1), ("a", 2)]), {"b": 1, "a": 2}),
        (Point(1, 2), (1, 2)),
        ([Point(1, 2), Point(3, 4)], [(1, 2), (3, 4)]),
        (Colour.RED, 1),
        ({Colour.RED: [Colour.RED]}, {1: [1]}),
        (Word.A, "a"),
        (Bits.ONE | Bits.TWO, 3),
        (bytearray(b"ab"), b"ab"),
        ([bytearray(b"ab"), None], [b"ab", None]),
        (memoryview(b"abcd")[::2], b"ac"),
    ]
    for value, expected in cases:
        assert shape(decode_value(encode_value(value))) == shape(expected)


def test_an_ordered_dict_keeps_its_own_order():
    value = collections.OrderedDict([("a", 1), ("b", 2)])
    value.move_to_end("a")
    assert list(decode_value(encode_value(value))) == ["b", "a"]


def test_shared_lists_arrive_twice():
    shared = [1, "a"]
    assert decode_value(encode_value({"x": shared, "y": [shared, shared]})) == {
        "x": [1, "a"],
        "y": [[1, "a"], [1, "a"]],
    }


def test_a_list_that_another_thread_changes_gives_the_one_error(monkeypatch):
    # pack_sequences measures, then takes the items: an inner list that is longer by then is noticed.
    inner: list[int] = [1]
    real_chain = encoder.chain

    class Chain:
        @staticmethod
        def from_iterable(items):
            inner.append(2)
            return real_chain.from_iterable(items)

    monkeypatch.setattr(encoder, "chain", Chain)
    with pytest.raises(EncodeError, match="another thread"):
        encode_value([inner, inner])


def test_decoding_many_ints_is_fast():
    data = encode_value(list(range(120_000)))
    best = min(timed(decode_value, data) for _ in range(5))
    assert best < 0.05  # 3 ms on an idle machine


def timed(function, argument):
    started = time.process_time()
    function(argument)
    return time.process_time() - started


def test_the_largest_text_fits_in_a_frame():
    text = "x" * (MAX_FRAME_BYTES - 5)
    assert decode_value(encode_value(text)) == text

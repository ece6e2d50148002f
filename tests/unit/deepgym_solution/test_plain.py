"""What is not plain data is refused with its name, its place and what to return instead."""

import array
import asyncio
import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import functools
import math
import pathlib
import types
import uuid

import pytest

from deepgym_solution._child.wire import EncodeError, decode_value, encode_value


@dataclasses.dataclass
class Point:
    x: int


class Model:
    def model_dump(self):
        return {}


class Shade(enum.Enum):
    DARK = 1


class Bag:
    def __iter__(self):
        return iter(())


async def numbers():
    yield 1


@pytest.mark.parametrize(
    ("value", "type_name", "instead"),
    [
        ((x for x in "ab"), "generator", "a list: list(...)"),
        (range(3), "range", "a list: list(...)"),
        ({}.items(), "dict_items", "a list: list(...)"),
        (map(str, ()), "map", "a list: list(...)"),
        (collections.deque(), "collections.deque", "a list: list(...)"),
        (Bag(), f"{__name__}.Bag", "a list: list(...)"),
        (array.array("i"), "array.array", "array.tolist()"),
        (decimal.Decimal(1), "decimal.Decimal", "str(...) or float(...)"),
        (fractions.Fraction(1), "fractions.Fraction", "str(...) or float(...)"),
        (dt.date(2024, 1, 1), "datetime.date", "isoformat"),
        (dt.datetime(2024, 1, 1, tzinfo=dt.UTC), "datetime.datetime", "isoformat"),
        (dt.timedelta(1), "datetime.timedelta", "total_seconds"),
        (uuid.UUID(int=1), "uuid.UUID", "str(...)"),
        (pathlib.PurePosixPath("a"), "pathlib.PurePosixPath", "str(...)"),
        (Shade.DARK, f"{__name__}.Shade", "member.value"),
        (Point(1), f"{__name__}.Point", "dataclasses.asdict"),
        (Model(), f"{__name__}.Model", "model_dump"),
        (types.SimpleNamespace(), "types.SimpleNamespace", "vars(...)"),
        (object(), "object", "vars(...)"),
        (lambda: 1, "function", "the result of calling it"),
        (len, "builtin_function_or_method", "the result of calling it"),
        (functools.partial(len), "functools.partial", "the result of calling it"),
        (int, "type", "an instance's data"),
        (math, "module", "the value that is meant"),
        (ValueError("x"), "ValueError", "raise it"),
        (numbers(), "async_generator", "async for"),
        (NotImplemented, "NotImplementedType", "plain data"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_is_not_plain_data_is_refused_and_told_what_to_return(value, type_name, instead):
    with pytest.raises(EncodeError) as caught:
        encode_value(value)
    assert caught.value.type_name == type_name
    assert str(caught.value).startswith(f"{type_name} is not plain data: return ")
    assert instead in str(caught.value)


def test_a_coroutine_is_refused():
    async def answer():
        return 1

    coroutine = answer()
    with pytest.raises(EncodeError, match="coroutine is not plain data: return its result: await it"):
        encode_value(coroutine)
    assert asyncio.run(coroutine) == 1


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ([1, 2, {"x": object()}], '[2]["x"]'),
        ([[0], [object()]], "[1][0]"),
        (([0], [1, (object(),)]), "[1][1][0]"),
        ({1: {None: object()}}, "[1][None]"),
        ({2**70: object()}, "[...]"),
        ({(1, 2): [object()]}, "[...][0]"),
        ({"\ud800é": object()}, '["\\ud800\\xe9"]'),
        ({"k" * 100: object()}, '["' + "k" * 40 + '"]'),
        ({decimal.Decimal(1): 1}, "key 0"),
        ([{(object(),): 1}], "[0] key 0[0]"),
        ([{decimal.Decimal(1)}], "[0]{0}"),
        ([frozenset([decimal.Decimal(1)])], "[0]{0}"),
        ([collections.Counter({"a": decimal.Decimal(1)})], '[0]["a"]'),
    ],
)
def test_the_message_says_where_it_sits(value, place):
    with pytest.raises(EncodeError) as caught:
        encode_value(value)
    assert f" at {place} is not plain data" in str(caught.value)


def test_a_very_long_place_or_name_is_cut():
    value: object = type("N" * 500, (), {})()
    for _ in range(100):
        value = {"k" * 30: value}
    with pytest.raises(EncodeError) as caught:
        encode_value(value)
    assert len(str(caught.value)) < 500
    assert len(caught.value.type_name) <= 100


def test_the_place_is_found_in_a_value_that_shares_lists_many_times():
    shared: list[object] = [1]
    for _ in range(15):
        shared = [shared, shared]
    with pytest.raises(EncodeError, match=r"object at \[1\] is not"):
        encode_value([shared, object()])


def test_a_class_that_hides_its_own_name_is_named_all_the_same():
    class Meta(type):
        @property
        def __name__(cls):
            raise AssertionError("an overridden property ran")

        __module__ = __mro__ = __name__  # noqa: A003 (the property above is meant)

    odd = Meta("Odd", (), {})
    with pytest.raises(EncodeError) as caught:
        encode_value(odd())
    assert caught.value.type_name.endswith("Odd")


def test_a_class_without_a_module_is_named_by_its_name_alone():
    scope = {}
    exec("made = type('Nameless', (), {})", scope)
    nameless = scope["made"]
    with pytest.raises(EncodeError) as caught:
        encode_value(nameless())
    assert caught.value.type_name == "Nameless"
    nameless.__module__ = 5
    with pytest.raises(EncodeError) as caught:
        encode_value(nameless())
    assert caught.value.type_name == "Nameless"


def test_a_released_memoryview_is_refused():
    view = memoryview(b"abc")
    view.release()
    with pytest.raises(EncodeError, match="memoryview is not plain data: return bytes"):
        encode_value(view)


def numpy_like(name, base_name, item):
    """A class as numpy's scalars look from outside: found by its name, turned plain by item()."""
    generic = type("generic", (), {"__module__": "numpy"})
    base = type(base_name, (generic,), {"__module__": "numpy"})
    return type(name, (base,), {"__module__": "numpy", "item": item})()


def test_scalars_of_numpy_become_python_numbers_without_numpy():
    number = numpy_like("int64", "integer", lambda _self: 5)
    assert decode_value(encode_value(number)) == 5
    assert decode_value(encode_value([number, 1, number])) == [5, 1, 5]
    assert decode_value(encode_value({number: number})) == {5: 5}


def test_a_scalar_of_numpy_whose_item_is_not_plain_is_refused():
    with pytest.raises(EncodeError, match=r"numpy.longdouble is not plain data: return float\(...\)"):
        encode_value(numpy_like("longdouble", "floating", lambda self: self))
    with pytest.raises(EncodeError, match=r"numpy.datetime64 is not plain data: return str\(...\)"):
        encode_value(numpy_like("datetime64", "generic64", lambda _self: dt.date(2024, 1, 1)))


def test_scalars_of_the_real_numpy_become_python_numbers():
    np = pytest.importorskip("numpy")
    value = [
        np.int64(5),
        np.uint8(3),
        np.float64(2.5),
        np.float32(0.5),
        np.bool_(True),
        np.str_("a"),
        np.complex64(1j),
    ]
    result = decode_value(encode_value(value))
    assert result == [5, 3, 2.5, 0.5, True, "a", 1j]
    assert [type(item) for item in result] == [int, int, float, float, bool, str, complex]
    with pytest.raises(
        EncodeError, match=r"numpy.ndarray at \[0\] is not plain data: return array.tolist\(\)"
    ):
        encode_value([np.zeros(2)])


def test_a_scalar_that_changes_its_mind_while_it_is_looked_for_is_refused_all_the_same():
    answers = [object(), 5]
    with pytest.raises(EncodeError, match=r"numpy\.int64 is not plain data"):
        encode_value(numpy_like("int64", "integer", lambda _self: answers.pop(0)))

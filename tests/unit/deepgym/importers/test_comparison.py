"""What verifiers of imported records compare with: lengths first, and room for floats only where told."""

import importlib.util
from pathlib import Path

import pytest

import deepgym.importers

_SPEC = importlib.util.spec_from_file_location(
    "comparison", Path(deepgym.importers.__file__).parent / "verifiers" / "comparison.py"
)
comparison = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(comparison)


@pytest.mark.parametrize(
    ("got", "expected", "compare", "tolerance", "same"),
    [
        ("1 2\n3\n", "1\n2 3", "tokens", None, True),
        ("1 2", "1 2 3", "tokens", None, False),
        ("1 2 3 4", "1 2 3", "tokens", None, False),
        ("", "1", "tokens", None, False),
        ("1.0", "1", "tokens", None, False),
        ("YES", "yes", "tokens", None, False),
        ("0.3333333", "0.33333331", "tokens", 1e-6, True),
        ("0.34", "0.3333", "tokens", 1e-6, False),
        ("nan", "nan", "tokens", 1e-6, True),
        ("nan", "1.0", "tokens", 1e-6, False),
        ("inf", "1.0", "tokens", 1e-6, False),
        ("1_0", "10", "tokens", 1e-6, False),
        ("1e400", "1.0", "tokens", 1e-6, False),
        ("a  \r\nb\n\n", "a\nb", "lines", None, True),
        ("a b", "a\nb", "lines", None, False),
        ("a\nb\nc", "a\nb", "lines", None, False),
        ("a  b", "a b", "lines", None, False),
        ("1.0", "1", "lines", None, False),
        ("0.5000001", "0.5", "lines", 1e-6, True),
        ("", "", "lines", None, True),
        ("1.0 2", "1 2.00", "decimals", None, True),
        ("1.0 2 3", "1 2.00", "decimals", None, False),
        ("0.3333333", "0.33333331", "decimals", None, False),
        ("x 1.0", "x 1", "decimals", None, False),
        ("9" * 5000, "1", "decimals", None, False),
    ],
)
def test_printed_texts(got, expected, compare, tolerance, same):
    difference = comparison.output_difference(got, expected, compare=compare, tolerance=tolerance)
    assert (difference is None) is same


@pytest.mark.parametrize(
    ("got", "expected", "tolerance", "same"),
    [
        ([1, 2], [1, 2], None, True),
        ((1, (2,)), [1, [2]], None, True),
        ([1, 2], [1, 2, 3], None, False),
        ([1, 2, 3], [1, 2], None, False),
        ([1, 2], {"0": 1, "1": 2}, None, False),
        (2, 2.0, None, True),
        (True, 1, None, False),
        (1, True, None, False),
        ("1", 1, None, False),
        (None, None, None, True),
        (None, 0, None, False),
        ({1: "a"}, {"1": "a"}, None, True),
        ({1: "a", "1": "b"}, {"1": "a"}, None, False),
        ({"a": 1}, {"a": 1, "b": 2}, None, False),
        ([0.1 + 0.2], [0.3], None, False),
        ([0.1 + 0.2], [0.3], 1e-9, True),
        (float("nan"), 1.0, 1e-6, False),
        (10**400, 1.0, 1e-6, False),
        (10, 11, 0.5, False),
        ({1, 2}, [1, 2], None, False),
    ],
)
def test_values(got, expected, tolerance, same):
    assert (comparison.value_difference(got, expected, tolerance=tolerance) is None) is same


def test_a_difference_says_where():
    assert comparison.value_difference([[1], [2, True]], [[1], [2, 1]]) == "[1] [1] True instead of 1"


def test_deep_values_end():
    deep = []
    for _ in range(500):
        deep = [deep]
    assert comparison.value_difference(deep, deep) is not None


def test_long_values_are_shown_short():
    assert len(comparison.show("x" * 10_000_000)) < 300
    assert "too large" in comparison.show(10**5000)

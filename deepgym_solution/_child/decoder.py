"""Bytes to values: the half of the codec that the judge turns on the solution's answers.

It trusts nothing: every count is checked against the bytes that are left before memory is spent on it, it
builds exactly the builtin types, and its one error is WireError.
"""

import struct
from collections import Counter
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from deepgym_solution._child.wire_format import (
    COLUMN,
    COMPLEX,
    COUNT,
    FLOAT,
    INT,
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_INT_BYTES,
    MAX_NODES,
    SET_NODES,
    WireError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Keys with equal hashes are compared with each other, and hashes of numbers are easily made equal. This many
# bytes compared, at worst, in one value take the judge about a second. Honest answers stay far below: the
# first 10,000 powers of two, which share 61 hashes, need a quarter. (Keys that differ in their hashes but
# are crafted to meet in a table of one size are left to the deadline of the run.)
_MAX_COMPARED_BYTES = 4_000_000_000

# A container as small as this need not be examined: its keys cannot collide often enough to matter.
_FEW_KEYS = 16

# The form of a column whose items are values of their own.
_VALUES = 0x76


def decode_value(data: bytes) -> object:
    """The value that encode_value made these bytes from, of exactly the builtin types.

    Raises:
        WireError: The bytes are anything else.
    """
    decoder = _Decoder(data)
    try:
        value = decoder.value(0)
    except (struct.error, IndexError):
        raise WireError("the value ends early") from None
    except UnicodeDecodeError as error:
        raise WireError(f"text is not UTF-8: {error.reason}") from None
    except RecursionError:
        raise WireError(f"the value is nested more than {MAX_DEPTH} deep") from None
    if decoder.pos != len(data):
        raise WireError(f"{len(data) - decoder.pos} bytes follow the value")
    return value


class _Decoder:
    """Takes one value out of bytes that may be hostile.

    Reads past the end raise struct.error or IndexError, which decode_value turns into WireError.
    """

    __slots__ = ("compared_bytes_left", "data", "nodes_left", "pos")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.pos = 0
        self.nodes_left = MAX_NODES
        self.compared_bytes_left = _MAX_COMPARED_BYTES

    def value(self, depth: int) -> object:
        tag = self.data[self.pos]
        self.pos += 1
        take = _TAKE.get(tag)
        if take is None:
            raise WireError(f"unknown tag {tag}")
        return take(self, depth)

    def take_none(self, _depth: int) -> None:
        return None

    def take_true(self, _depth: int) -> bool:
        return True

    def take_false(self, _depth: int) -> bool:
        return False

    def take_int(self, _depth: int) -> int:
        (value,) = INT.unpack_from(self.data, self.pos)
        self.pos += 8
        return value  # type: ignore[no-any-return]

    def take_long_int(self, _depth: int) -> int:
        length = self.count()
        if length > MAX_INT_BYTES:
            raise WireError(f"an int has more than {MAX_DIGITS} digits")
        return int.from_bytes(self.raw(length), "little", signed=True)

    def take_float(self, _depth: int) -> float:
        (value,) = FLOAT.unpack_from(self.data, self.pos)
        self.pos += 8
        return value  # type: ignore[no-any-return]

    def take_complex(self, _depth: int) -> complex:
        real, imaginary = COMPLEX.unpack_from(self.data, self.pos)
        self.pos += 16
        return complex(real, imaginary)

    def take_str(self, _depth: int) -> str:
        return self.raw(self.count()).decode("utf-8", "surrogatepass")

    def take_bytes(self, _depth: int) -> bytes:
        return self.raw(self.count())

    def take_list(self, depth: int) -> list[object]:
        return list(self.column(depth))

    def take_tuple(self, depth: int) -> tuple[object, ...]:
        return tuple(self.column(depth))

    def take_set(self, depth: int) -> set[object]:
        self.spend_nodes(SET_NODES)
        start = self.pos
        members = self.column(depth)
        self.check_keys(members, self.pos - start)
        value = set(members)
        if len(value) != len(members):
            raise WireError("two members of a set are equal")
        return value

    def take_frozenset(self, depth: int) -> frozenset[object]:
        return frozenset(self.take_set(depth))

    def take_dict(self, depth: int) -> dict[object, object]:
        start = self.pos
        keys = self.column(depth)
        self.check_keys(keys, self.pos - start)
        values = self.column(depth)
        if len(keys) != len(values):
            raise WireError("a dict has not as many values as keys")
        value = dict(zip(keys, values, strict=True))
        if len(value) != len(keys):
            raise WireError("two keys of a dict are equal")
        return value

    def column(self, depth: int) -> "Sequence[object]":
        """The items of one container at this depth, as a list or tuple."""
        if depth >= MAX_DEPTH:
            raise WireError(f"the value is nested more than {MAX_DEPTH} deep")
        count, form = COLUMN.unpack_from(self.data, self.pos)
        self.pos += COLUMN.size
        self.spend_nodes(count)
        if form != _VALUES:
            unpack = _UNPACK.get(form)
            if unpack is None:
                raise WireError(f"unknown form of column {form}")
            return unpack(self, count, depth)
        data = self.data
        if count > len(data) - self.pos:  # each takes a byte at least
            raise WireError("the value ends early")
        depth += 1
        items: list[object] = []
        # As in value(), but here: a level of nesting shall cost two frames of the interpreter's stack.
        for _ in range(count):
            take = _TAKE.get(data[self.pos])
            if take is None:
                raise WireError(f"unknown tag {data[self.pos]}")
            self.pos += 1
            items.append(take(self, depth))
        return items

    def unpack_numbers(self, count: int, code: str, size: int) -> tuple[object, ...]:
        # struct compares the size with the bytes that are left before it makes the tuple.
        values = struct.unpack_from(f"<{count}{code}", self.data, self.pos)
        self.pos += count * size
        return values

    def unpack_ints(self, count: int, _depth: int) -> tuple[object, ...]:
        return self.unpack_numbers(count, "q", 8)

    def unpack_floats(self, count: int, _depth: int) -> tuple[object, ...]:
        return self.unpack_numbers(count, "d", 8)

    def unpack_bools(self, count: int, _depth: int) -> list[object]:
        raw = self.raw(count)
        if raw.translate(None, b"\0\1"):
            raise WireError("a bool is neither 0 nor 1")
        return list(map(bool, raw))

    def unpack_strs(self, count: int, _depth: int) -> list[object]:
        lengths = self.unpack_numbers(count, "I", 4)
        text = self.raw(self.count()).decode("utf-8", "surrogatepass")
        return _slices(text, lengths)

    def unpack_lists(self, count: int, depth: int) -> list[object]:
        lengths = self.unpack_numbers(count, "I", 4)
        return _slices(list(self.column(depth + 1)), lengths)

    def unpack_tuples(self, count: int, depth: int) -> list[object]:
        lengths = self.unpack_numbers(count, "I", 4)
        return _slices(tuple(self.column(depth + 1)), lengths)

    def count(self) -> int:
        (count,) = COUNT.unpack_from(self.data, self.pos)
        self.pos += 4
        return count  # type: ignore[no-any-return]

    def raw(self, length: int) -> bytes:
        start, self.pos = self.pos, self.pos + length
        if self.pos > len(self.data):
            raise WireError("the value ends early")
        return self.data[start : self.pos]

    def spend_nodes(self, count: int) -> None:
        self.nodes_left -= count
        if self.nodes_left < 0:
            raise WireError(f"the value holds more than {MAX_NODES:,} values")

    def check_keys(self, keys: "Sequence[object]", size: int) -> None:
        """Refuse keys that cannot be hashed, and crafted ones that would take quadratic time.

        Args:
            keys: Keys of a dict or members of a set.
            size: How many bytes they took on the wire.
        """
        try:
            hashes = list(map(hash, keys))
        except TypeError:
            raise WireError("a key of a dict or a member of a set cannot be hashed") from None
        if len(hashes) <= _FEW_KEYS or len(set(hashes)) == len(hashes):
            return
        sharing = Counter(hashes).most_common(1)[0][1]
        self.compared_bytes_left -= sharing * size  # each key with as many others, each time all of it
        if self.compared_bytes_left < 0:
            raise WireError("too many keys of a dict or members of a set share a hash")


def _slices(whole: Any, lengths: "Sequence[Any]") -> list[object]:
    """The whole cut into pieces of these lengths."""
    ends = list(accumulate(lengths, initial=0))
    if ends[-1] != len(whole):
        raise WireError("the lengths of a column do not add up")
    return [whole[start:end] for start, end in pairwise(ends)]


_TAKE: "dict[int, Callable[[_Decoder, int], object]]" = {
    0x4E: _Decoder.take_none,
    0x54: _Decoder.take_true,
    0x46: _Decoder.take_false,
    0x69: _Decoder.take_int,
    0x49: _Decoder.take_long_int,
    0x66: _Decoder.take_float,
    0x63: _Decoder.take_complex,
    0x73: _Decoder.take_str,
    0x62: _Decoder.take_bytes,
    0x6C: _Decoder.take_list,
    0x74: _Decoder.take_tuple,
    0x65: _Decoder.take_set,
    0x7A: _Decoder.take_frozenset,
    0x64: _Decoder.take_dict,
}

_UNPACK: "dict[int, Callable[[_Decoder, int, int], Sequence[object]]]" = {
    0x69: _Decoder.unpack_ints,
    0x66: _Decoder.unpack_floats,
    0x62: _Decoder.unpack_bools,
    0x73: _Decoder.unpack_strs,
    0x6C: _Decoder.unpack_lists,
    0x74: _Decoder.unpack_tuples,
}

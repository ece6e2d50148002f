"""Values to bytes: the half of the codec that runs beside the solution, and in the judge for arguments.

It is kind: plain.py says what it takes beyond the plain types and what it says about the rest.
"""

import struct
from collections import OrderedDict
from itertools import chain
from typing import TYPE_CHECKING, Any

from deepgym_solution._child.plain import (
    EXACT_TYPES,
    HASHED_TYPES,
    EncodeError,
    NotPlainError,
    distinct_keys,
    explain,
    flatten,
    full_name,
)
from deepgym_solution._child.wire_format import (
    COLUMN,
    MAX_DEPTH,
    MAX_DIGITS,
    MAX_FRAME_BYTES,
    MAX_INT_BYTES,
    MAX_NODES,
    SET_NODES,
    TAG_COMPLEX,
    TAG_COUNT,
    TAG_FLOAT,
    TAG_INT,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_INT_MIN, _INT_MAX = -(2**63), 2**63 - 1


def encode_value(value: object) -> bytes:
    """The value as bytes for decode_value.

    Raises:
        EncodeError: The value holds something that is not plain data, is nested more than MAX_DEPTH
            deep (a value that contains itself is), or is too large.
    """
    encoder = _Encoder()
    try:
        encoder.put(value, 0)
    except NotPlainError:
        raise explain(value) from None
    except RecursionError:
        raise _too_deep(value) from None
    data = b"".join(encoder.parts)
    if len(data) > MAX_FRAME_BYTES:
        raise _too_large(value)
    return data


class _Encoder:
    """Collects the parts of one encoded value and keeps count of what it costs."""

    __slots__ = ("bytes_left", "nodes_left", "parts")

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.nodes_left = MAX_NODES
        self.bytes_left = MAX_FRAME_BYTES

    def put(self, value: object, depth: int) -> None:
        put = _PUT.get(type(value))
        if put is None:
            value = flatten(value)
            put = _PUT.get(type(value)) or _put_of_subclass(type(value))
        put(self, value, depth)

    def put_none(self, _value: None, _depth: int) -> None:
        self.parts.append(b"N")

    def put_bool(self, value: bool, _depth: int) -> None:
        self.parts.append(b"T" if value else b"F")

    def put_int(self, value: int, _depth: int) -> None:
        if _INT_MIN <= value <= _INT_MAX:
            self.parts.append(TAG_INT.pack(0x69, value))
            return
        length = value.bit_length() // 8 + 1
        if length > MAX_INT_BYTES:
            raise EncodeError(f"an int has more than {MAX_DIGITS} digits", type_name="int")
        self.spend_bytes(length, value)
        self.parts.append(TAG_COUNT.pack(0x49, length))
        self.parts.append(value.to_bytes(length, "little", signed=True))

    def put_float(self, value: float, _depth: int) -> None:
        self.parts.append(TAG_FLOAT.pack(0x66, value))

    def put_complex(self, value: complex, _depth: int) -> None:
        self.parts.append(TAG_COMPLEX.pack(0x63, value.real, value.imag))

    def put_str(self, value: str, _depth: int) -> None:
        self.spend_bytes(len(value), value)
        raw = value.encode("utf-8", "surrogatepass")
        self.parts.append(TAG_COUNT.pack(0x73, len(raw)))
        self.parts.append(raw)

    def put_bytes(self, value: bytes, _depth: int) -> None:
        self.spend_bytes(len(value), value)
        self.parts.append(TAG_COUNT.pack(0x62, len(value)))
        self.parts.append(value)

    def put_list(self, value: list[object], depth: int) -> None:
        self.parts.append(b"l")
        self.put_column(tuple(value), depth)

    def put_tuple(self, value: tuple[object, ...], depth: int) -> None:
        self.parts.append(b"t")
        self.put_column(value, depth)

    def put_set(self, value: set[object], depth: int) -> None:
        self.spend_nodes(SET_NODES, value)
        self.parts.append(b"e")
        self.put_column(distinct_keys(tuple(set.__iter__(value))), depth)

    def put_frozenset(self, value: frozenset[object], depth: int) -> None:
        self.spend_nodes(SET_NODES, value)
        self.parts.append(b"z")
        self.put_column(distinct_keys(tuple(frozenset.__iter__(value))), depth)

    def put_dict(self, value: dict[object, object], depth: int) -> None:
        self.parts.append(b"d")
        pairs = tuple(dict.items(value))  # in one step: another thread may change the dict
        if isinstance(value, OrderedDict) and set(map(type, dict.keys(value))) <= EXACT_TYPES:
            # Its order is not that of the dict beneath. (It looks each key up, which runs its hash function.)
            pairs = tuple(OrderedDict.items(value))
        self.put_column(distinct_keys(tuple([key for key, _ in pairs])), depth)
        self.put_column(tuple([item for _, item in pairs]), depth)

    def put_column(self, items: tuple[object, ...], depth: int) -> None:
        """The items of one container at this depth, packed where all are of one type."""
        if depth >= MAX_DEPTH:
            raise _too_deep(items)
        self.spend_nodes(len(items), items)
        kinds = set(map(type, items))
        if not kinds <= EXACT_TYPES:
            items = tuple(map(flatten, items))
            kinds = set(map(type, items))
        if len(kinds) == 1:
            pack = _PACK.get(kinds.pop())
            if pack is not None and pack(self, items, depth):
                return
        self.parts.append(COLUMN.pack(len(items), 0x76))
        depth += 1
        for item in items:
            put = _PUT.get(type(item)) or _put_of_subclass(type(item))
            put(self, item, depth)

    def pack_ints(self, items: tuple[int, ...], _depth: int) -> bool:
        count = len(items)
        try:
            self.parts.append(struct.pack(f"<IB{count}q", count, 0x69, *items))
        except struct.error:
            return False  # one does not fit in 8 bytes
        return True

    def pack_floats(self, items: tuple[float, ...], _depth: int) -> bool:
        count = len(items)
        self.parts.append(struct.pack(f"<IB{count}d", count, 0x66, *items))
        return True

    def pack_bools(self, items: tuple[bool, ...], _depth: int) -> bool:
        self.parts.append(COLUMN.pack(len(items), 0x62))
        self.parts.append(bytes(items))
        return True

    def pack_strs(self, items: tuple[str, ...], _depth: int) -> bool:
        count = len(items)
        lengths = tuple(map(len, items))
        self.spend_bytes(sum(lengths), items)
        raw = "".join(items).encode("utf-8", "surrogatepass")
        self.parts.append(struct.pack(f"<IB{count}II", count, 0x73, *lengths, len(raw)))
        self.parts.append(raw)
        return True

    def pack_lists(self, items: tuple[list[object], ...], depth: int) -> bool:
        return self.pack_sequences(0x6C, items, depth)

    def pack_tuples(self, items: tuple[tuple[object, ...], ...], depth: int) -> bool:
        return self.pack_sequences(0x74, items, depth)

    def pack_sequences(
        self, form: int, items: tuple[list[object] | tuple[object, ...], ...], depth: int
    ) -> bool:
        count = len(items)
        lengths = tuple(map(len, items))
        total = sum(lengths)
        if total > self.nodes_left:
            raise _too_large(items)
        flat = tuple(chain.from_iterable(items))
        if len(flat) != total:
            raise _changed(items)
        self.parts.append(struct.pack(f"<IB{count}I", count, form, *lengths))
        self.put_column(flat, depth + 1)
        return True

    def spend_bytes(self, count: int, value: object) -> None:
        self.bytes_left -= count
        if self.bytes_left < 0:
            raise _too_large(value)

    def spend_nodes(self, count: int, value: object) -> None:
        self.nodes_left -= count
        if self.nodes_left < 0:
            raise _too_large(value)


_PUT: dict[type, "Callable[[_Encoder, Any, int], None]"] = {
    type(None): _Encoder.put_none,
    bool: _Encoder.put_bool,
    int: _Encoder.put_int,
    float: _Encoder.put_float,
    complex: _Encoder.put_complex,
    str: _Encoder.put_str,
    bytes: _Encoder.put_bytes,
    list: _Encoder.put_list,
    tuple: _Encoder.put_tuple,
    dict: _Encoder.put_dict,
    set: _Encoder.put_set,
    frozenset: _Encoder.put_frozenset,
}

_PACK: dict[type, "Callable[[_Encoder, Any, int], bool]"] = {
    int: _Encoder.pack_ints,
    float: _Encoder.pack_floats,
    bool: _Encoder.pack_bools,
    str: _Encoder.pack_strs,
    list: _Encoder.pack_lists,
    tuple: _Encoder.pack_tuples,
}


def _put_of_subclass(kind: type) -> "Callable[[_Encoder, Any, int], None]":
    """How to put what flatten left as it is."""
    return next(_PUT[base] for base in HASHED_TYPES if issubclass(kind, base))


def _too_deep(value: object) -> EncodeError:
    return EncodeError(
        f"the value is nested more than {MAX_DEPTH} deep, or contains itself: return something flatter",
        type_name=full_name(type(value)),
    )


def _too_large(value: object) -> EncodeError:
    return EncodeError(
        f"the value is too large: return at most {MAX_NODES:,} values and {MAX_FRAME_BYTES:,} bytes",
        type_name=full_name(type(value)),
    )


def _changed(value: object) -> EncodeError:
    return EncodeError(
        "the value was changed by another thread while it was read: return a copy",
        type_name=full_name(type(value)),
    )

"""What may cross between judge and solution, and what to return instead of anything else.

Instances of subclasses of the plain types (Counter, namedtuples, IntEnum, a tampered int) are flattened by
the plain type's own methods, so that an overridden method never runs. Nothing here asks an object about
itself: types are matched by identity and read through the descriptors of `type`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

CONTAINER_TYPES = (list, tuple, dict, set, frozenset)
HASHED_TYPES = CONTAINER_TYPES[2:]
EXACT_TYPES = frozenset({type(None), bool, int, float, complex, str, bytes, *CONTAINER_TYPES})

_ALL = slice(None)

# Names and places come from the solution and go into messages.
_MAX_NAME_CHARS = 100
_MAX_PLACE_CHARS = 200

# How the base type itself, and never the subclass, makes an exact value of an instance of a subclass.
_REBUILD: tuple[tuple[type, "Callable[[Any], object]"], ...] = (
    (float, float.__float__),
    (int, int.__int__),
    (str, str.__str__),
    (tuple, lambda value: tuple.__getitem__(value, _ALL)),
    (list, lambda value: list.__getitem__(value, _ALL)),
    (bytes, lambda value: bytes.__getitem__(value, _ALL)),
    (bytearray, lambda value: bytes(bytearray.__getitem__(value, _ALL))),
    (complex, complex.__complex__),
    (memoryview, memoryview.tobytes),
)


class EncodeError(Exception):
    """The value is not plain data.

    Attributes:
        type_name: The type that cannot be sent, such as "generator" or "decimal.Decimal".
    """

    def __init__(self, message: str, *, type_name: str) -> None:
        super().__init__(message)
        self.type_name = type_name


class NotPlainError(Exception):
    """An object of no plain type was met. explain() finds out where, off the fast path."""


def flatten(value: object) -> object:
    """The value, or the plain value that an instance of a subclass is underneath.

    Subclasses of dict, set and frozenset stay as they are, because a copy would call the hash functions
    of their keys; the put methods for these read them by the base type's own methods.
    """
    kind = type(value)
    if kind in EXACT_TYPES:
        return value
    for base, rebuild in _REBUILD:
        if issubclass(kind, base):
            try:
                return rebuild(value)
            except ValueError:  # a memoryview that was released
                raise NotPlainError from None
    if issubclass(kind, HASHED_TYPES):
        return value
    if _is_numpy_scalar(kind):
        item = value.item()  # type: ignore[attr-defined]
        # A long double gives itself; others give a number, a text, bytes or, for dates, no plain value.
        if type(item) in EXACT_TYPES:
            return item
    raise NotPlainError


def distinct_keys(keys: tuple[object, ...]) -> tuple[object, ...]:
    """The keys, flattened; subclasses with an equality of their own may have become equal."""
    if set(map(type, keys)) <= EXACT_TYPES:
        return keys
    plain = tuple(map(flatten, keys))
    scalars = [key for key in plain if type(key) not in CONTAINER_TYPES]
    if len(set(scalars)) != len(scalars):
        odd = next(kind for kind in map(type, keys) if kind not in EXACT_TYPES)
        raise EncodeError(
            "two keys of a dict, or members of a set, are equal as plain data: return ones that differ",
            type_name=full_name(odd),
        )
    return plain


def explain(value: object) -> EncodeError:
    """The error for the first object that is not plain, with its place.

    The encoder takes items out of order where it packs them, so the place is found here by a walk of its own.
    """
    seen: set[int] = set()
    todo: list[tuple[object, str]] = [(value, "")]
    while todo:
        item, place = todo.pop()
        try:
            plain = flatten(item)
        except NotPlainError:
            break
        if isinstance(plain, CONTAINER_TYPES) and id(item) not in seen:
            seen.add(id(item))
            todo.extend(reversed(_children(plain, place)))
    name = full_name(type(item))
    where = f" at {place[:_MAX_PLACE_CHARS]}" if place else ""
    return EncodeError(
        f"{name}{where} is not plain data: return {_instead(item)} instead",
        type_name=name,
    )


def _children(value: Any, place: str) -> "list[tuple[object, str]]":
    """What a container holds, each with its place, in order."""
    if isinstance(value, dict):
        keys = [(key, f"{place} key {number}".lstrip()) for number, key in enumerate(dict.keys(value))]
        items = [(item, f"{place}[{_render_key(key)}]") for key, item in dict.items(value)]
        return keys + items
    if isinstance(value, (set, frozenset)):
        members = set.__iter__(value) if isinstance(value, set) else frozenset.__iter__(value)
        return [(member, f"{place}{{{number}}}") for number, member in enumerate(members)]
    return [(item, f"{place}[{number}]") for number, item in enumerate(value)]


def _render_key(key: object) -> str:
    """A key as it reads in source, where that is short; a class's own repr never runs."""
    if type(key) is str:
        return '"' + key[:40].encode("ascii", "backslashreplace").decode() + '"'
    if type(key) is int and key.bit_length() > 64:
        return "..."
    return str(key) if type(key) in {int, bool, float, type(None)} else "..."


# What to return instead, by the full name of the first class in the MRO that has an entry.
_INSTEAD = {
    "numpy.ndarray": "array.tolist()",
    "numpy.floating": "float(...)",
    "numpy.generic": "str(...)",
    "pandas.core.frame.DataFrame": 'frame.to_dict("records")',
    "pandas.core.series.Series": "series.tolist()",
    "torch.Tensor": "tensor.tolist()",
    "array.array": "array.tolist()",
    "decimal.Decimal": "str(...) or float(...)",
    "fractions.Fraction": "str(...) or float(...)",
    "datetime.date": "str(...), such as date.isoformat()",
    "datetime.time": "str(...), such as time.isoformat()",
    "datetime.timedelta": "float, such as delta.total_seconds()",
    "datetime.tzinfo": "str(...)",
    "uuid.UUID": "str(...)",
    "pathlib.PurePath": "str(...)",
    "pathlib._local.PurePath": "str(...)",
    "enum.Enum": "its value, member.value",
    "memoryview": "bytes(...), before it is released",
    "coroutine": "its result: await it",
    "async_generator": "a list: [item async for item in ...]",
    "function": "the result of calling it",
    "builtin_function_or_method": "the result of calling it",
    "method": "the result of calling it",
    "functools.partial": "the result of calling it",
    "type": "an instance's data, such as a dict",
    "module": "the value that is meant",
    "BaseException": "str(...), or raise it",
}


def _instead(value: object) -> str:
    mro: tuple[type, ...] = type.__dict__["__mro__"].__get__(type(value))
    for kind in mro:
        if (hint := _INSTEAD.get(full_name(kind))) is not None:
            return hint
    for kind in mro:
        attributes = type.__dict__["__dict__"].__get__(kind)
        if "__dataclass_fields__" in attributes:
            return "a dict: dataclasses.asdict(...)"
        if "model_dump" in attributes:
            return "a dict: model.model_dump()"
        if "__iter__" in attributes:
            return "a list: list(...)"
    return "plain data, such as a dict of its attributes: vars(...)"


def _is_numpy_scalar(kind: type) -> bool:
    # By name: importing numpy here would cost every solution a tenth of a second.
    return any(full_name(base) == "numpy.generic" for base in type.__dict__["__mro__"].__get__(kind))


def full_name(kind: type) -> str:
    """The name of a class with its module, but for builtins, as in "decimal.Decimal"."""
    # By way of type's own descriptors: a metaclass may have replaced what kind.__name__ runs.
    name = type.__dict__["__name__"].__get__(kind)
    try:
        module = type.__dict__["__module__"].__get__(kind)
    except AttributeError:  # the class has deleted it
        module = None
    full = name if type(module) is not str or module == "builtins" else f"{module}.{name}"
    return full[:_MAX_NAME_CHARS]

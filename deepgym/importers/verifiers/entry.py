"""Runs in the solution's process, at the end of the module that has the project's names: how the judge uses them.

What is no plain data stays here, in a table, and its place in the table crosses instead.
"""

_deepgym_objects = []
_DEEPGYM_PLAIN = (type(None), bool, int, float, complex, str, bytes)


def deepgym_read(name):
    """A name of the project."""
    return _deepgym_out(globals()[name])


def deepgym_attribute(place, name):
    """An attribute of an object."""
    return _deepgym_out(getattr(_deepgym_objects[place], name))


def deepgym_call(place, args, kwargs):
    """What an object gives when it is called."""
    kwargs = {name: _deepgym_in(value) for name, value in kwargs.items()}
    return _deepgym_out(_deepgym_objects[place](*_deepgym_in(args), **kwargs))


def deepgym_operator(place, name, args):
    """What an operator of an object gives, such as __len__."""
    found = _deepgym_objects[place]
    return _deepgym_out(getattr(type(found), name)(found, *_deepgym_in(args)))


def deepgym_items(place):
    """All that an object gives when it is iterated over."""
    return _deepgym_out(list(_deepgym_objects[place]))


def _deepgym_out(value):
    kind = type(value)
    if kind in _DEEPGYM_PLAIN:
        return value
    if kind in (list, tuple):
        return kind([_deepgym_out(item) for item in value])
    if kind is dict:
        return {key: _deepgym_out(item) for key, item in value.items()}
    if isinstance(value, (int, float, str, bytes, list, tuple, dict, set, frozenset)):
        return value
    _deepgym_objects.append(value)
    return {"deepgym object": len(_deepgym_objects) - 1, "type": kind.__name__}


def _deepgym_in(value):
    if type(value) is dict and "deepgym object" in value:
        return _deepgym_objects[value["deepgym object"]]
    if type(value) in (list, tuple):
        return type(value)([_deepgym_in(item) for item in value])
    if type(value) is dict:
        return {key: _deepgym_in(item) for key, item in value.items()}
    return value

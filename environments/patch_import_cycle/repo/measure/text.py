"""Writing amounts, and reading them."""

from measure.units import FACTORS, LABELS, known


def plural(name):
    """The word for several of them."""
    return name + "s"


def write(amount, unit):
    """An amount as text, such as `1 metre` or `3 metres`."""
    return f"{amount} {unit if amount == 1 else LABELS[unit]}"


def read(text):
    """Amount and unit of what `write` wrote.

    Raises:
        ValueError: It is not such a text.
    """
    number, unit = text.split(" ")
    for name in FACTORS:
        if unit in (name, LABELS[name]):
            return [int(number), name]
    raise ValueError(text)


def largest(millimetres):
    """The amount in the largest unit of which it is a whole number."""
    for name in FACTORS:
        if known(name) and millimetres % FACTORS[name] == 0:
            return write(millimetres // FACTORS[name], name)

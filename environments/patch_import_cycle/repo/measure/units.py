"""Known units, and how they are written."""

from measure.text import plural

FACTORS = {"metre": 1000, "centimetre": 10, "millimetre": 1}
LABELS = {name: plural(name) for name in FACTORS}


def to_millimetres(amount, unit):
    """An amount of a unit in millimetres."""
    return amount * FACTORS[unit]


def known(unit):
    """Whether there is such a unit."""
    return unit in FACTORS

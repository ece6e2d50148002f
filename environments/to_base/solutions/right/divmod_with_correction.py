import string


def to_base(number, base):
    if base in (-1, 0, 1) or base > 36 or base < -36:
        raise ValueError(base)
    sign, digits = "", []
    if base > 0 and number < 0:
        sign, number = "-", -number
    while number != 0:
        number, digit = divmod(number, base)
        if digit < 0:
            number, digit = number + 1, digit - base
        digits.append((string.digits + string.ascii_lowercase)[digit])
    return sign + "".join(reversed(digits or ["0"]))

def to_base(number, base):
    if not 2 <= abs(base) <= 36:
        raise ValueError(base)
    sign = "-" if number < 0 < base else ""
    number = -number if sign else number
    text = ""
    while number:
        digit = number % abs(base)
        text = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + text
        number = (number - digit) // base
    return sign + text

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def to_base(number, base):
    if not 2 <= abs(base) <= 36:
        raise ValueError(f"{base} is no base")
    if base > 0 and number < 0:
        return "-" + to_base(-number, base)
    text = ""
    while number or not text:
        digit = number % abs(base)
        text = DIGITS[digit] + text
        number = (number - digit) // base
    return text

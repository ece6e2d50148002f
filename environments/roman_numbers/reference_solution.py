import sys

SIGNS = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
]


def to_roman(number):
    text = ""
    for value, sign in SIGNS:
        while number >= value:
            text += sign
            number -= value
    return text


def from_roman(text):
    total = 0
    rest = text
    for value, sign in SIGNS:
        while rest.startswith(sign):
            total += value
            rest = rest[len(sign) :]
    # There is one usual form: what is written otherwise does not come back.
    return total if total < 4000 and to_roman(total) == text else None


def answer(argument):
    if not argument.isascii():
        return "?"
    if argument.isdigit():
        number = int(argument)
        return to_roman(number) if 0 < number < 4000 else "?"
    return str(from_roman(argument.upper()) or "?")


answers = [answer(argument) for argument in sys.argv[1:]]
for line in answers:
    print(line)
sys.exit("?" in answers)

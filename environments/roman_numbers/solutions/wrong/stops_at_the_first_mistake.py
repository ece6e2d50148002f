import re
import sys

SIGNS = list(
    zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1), "M CM D CD C XC L XL X IX V IV I".split())
)


def roman(number):
    text = ""
    for value, sign in SIGNS:
        text += sign * (number // value)
        number %= value
    return text


NUMBERS = {roman(n): n for n in range(1, 4000)}
for word in sys.argv[1:]:
    if re.fullmatch("[0-9]+", word) and 0 < int(word) < 4000:
        print(roman(int(word)))
    elif word.upper() in NUMBERS:
        print(NUMBERS[word.upper()])
    else:
        print("?")
        sys.exit(1)

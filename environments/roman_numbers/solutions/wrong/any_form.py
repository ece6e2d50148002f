import sys

VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
SIGNS = list(
    zip((1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1), "M CM D CD C XC L XL X IX V IV I".split())
)
bad = False
for word in sys.argv[1:]:
    if word.isdigit() and 0 < int(word) < 4000:
        number, text = int(word), ""
        for value, sign in SIGNS:
            text += sign * (number // value)
            number %= value
        print(text)
    elif word and set(word.upper()) <= set(VALUES):
        numbers = [VALUES[letter] for letter in word.upper()]
        print(sum(-a if a < b else a for a, b in zip(numbers, numbers[1:] + [0])))
    else:
        bad = True
        print("?")
sys.exit(bad)

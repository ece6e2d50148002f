import re
import sys

TENS = ["", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"]
ONES = [ten.translate(str.maketrans("XLC", "IVX")) for ten in TENS]
HUNDREDS = [ten.translate(str.maketrans("XLC", "CDM")) for ten in TENS]
ROMAN = ["M" * (n // 1000) + HUNDREDS[n // 100 % 10] + TENS[n // 10 % 10] + ONES[n % 10] for n in range(4000)]
NUMBER = {text: n for n, text in enumerate(ROMAN) if n}

understood = True
for word in sys.argv[1:]:
    line = "?"
    if re.fullmatch("[0-9]+", word):
        line = ROMAN[int(word)] if 0 < int(word) < len(ROMAN) else line
    elif re.fullmatch("[A-Za-z]+", word):
        line = NUMBER.get(word.upper(), line)
    understood = understood and line != "?"
    print(line)
sys.exit(0 if understood else 1)

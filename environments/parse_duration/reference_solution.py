SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}


def parse_duration(text):
    total = 0
    units = list(SECONDS)
    number = ""
    for letter in text:
        if letter in "0123456789":
            number += letter
            continue
        if letter not in units or number == "" or (number[0] == "0" and number != "0"):
            raise ValueError(f"{text!r} is no duration")
        units = units[units.index(letter) + 1 :]
        total += int(number) * SECONDS[letter]
        number = ""
    if number or not text:
        raise ValueError(f"{text!r} is no duration")
    return total

import re

NUMBER = "(?:(0|[1-9][0-9]*){})?"
DURATION = re.compile("".join(NUMBER.format(unit) for unit in "dhms"))


def parse_duration(text):
    found = DURATION.fullmatch(text)
    if not text or not found:
        raise ValueError(text)
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds

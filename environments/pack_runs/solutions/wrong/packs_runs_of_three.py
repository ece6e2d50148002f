from itertools import groupby


def pack(text):
    packed = ""
    for letter, run in groupby(text):
        length = len(list(run))
        packed += f"#{length}:{letter}" if length >= 3 or letter == "#" else letter * length
    return packed


def unpack(packed):
    text, at = "", 0
    while at < len(packed):
        if packed[at] == "#":
            count, _, rest = packed[at + 1 :].partition(":")
            text += rest[0] * int(count)
            at += len(count) + 3
        else:
            text += packed[at]
            at += 1
    if pack(text) != packed:
        raise ValueError(packed)
    return text

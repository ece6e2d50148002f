import re


def pack(text):
    return re.sub(
        r"(.)\1*",
        lambda run: f"#{len(run[0])}:{run[1]}" if len(run[0]) > 3 or run[1] == "#" else run[0],
        text,
        flags=re.DOTALL,
    )


def unpack(packed):
    return re.sub(r"#(\d+):(.)", lambda run: run[2] * int(run[1]), packed, flags=re.DOTALL)

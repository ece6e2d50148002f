import re

RUN = re.compile(r"(.)\1*", re.DOTALL)
PIECE = re.compile(r"#([1-9][0-9]*):(.)|([^#])", re.DOTALL)


def pack(text):
    def write(match):
        run, letter = match[0], match[1]
        return f"#{len(run)}:{letter}" if len(run) > 3 or letter == "#" else run

    return RUN.sub(write, text)


def unpack(packed):
    at, text, last = 0, "", None
    while at < len(packed):
        piece = PIECE.match(packed, at)
        if piece is None:
            raise ValueError(packed[at:])
        count, letter, plain = piece.groups()
        if plain is not None:
            text += plain
            if last == plain or text.endswith(plain * 4):
                raise ValueError("a run in two pieces")
            last = None
        else:
            if (int(count) < 4 and letter != "#") or text.endswith(letter):
                raise ValueError("a short run, or a run in two pieces")
            text += letter * int(count)
            last = letter
        at = piece.end()
    return text

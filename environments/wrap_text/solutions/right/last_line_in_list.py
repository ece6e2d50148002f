import re


def wrap_text(text, width):
    lines = []
    for word in re.findall(r"\S+", text):
        for piece in (word[at : at + width] for at in range(0, len(word), width)):
            if lines and len(lines[-1]) + len(piece) < width:
                lines[-1] = f"{lines[-1]} {piece}"
            else:
                lines.append(piece)
    return lines

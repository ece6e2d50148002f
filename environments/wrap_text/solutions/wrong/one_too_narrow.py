def wrap_text(text, width):
    lines, line = [], ""
    for word in text.split():
        pieces = [word[at : at + width] for at in range(0, len(word), width)]
        for piece in pieces:
            if line and len(line) + 1 + len(piece) >= width:
                lines.append(line)
                line = piece
            else:
                line = f"{line} {piece}".strip()
    return lines + [line] if line else lines

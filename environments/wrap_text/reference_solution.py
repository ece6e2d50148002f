def wrap_text(text, width):
    lines = []
    line = ""
    for word in text.split():
        while word:
            piece, word = word[:width], word[width:]
            if not line:
                line = piece
            elif len(line) + 1 + len(piece) <= width:
                line += " " + piece
            else:
                lines.append(line)
                line = piece
    if line:
        lines.append(line)
    return lines

NAME = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


def fill_template(template, values):
    pieces = []
    at = 0
    while at < len(template):
        letter = template[at]
        if template[at : at + 2] in ("{{", "}}"):
            pieces.append(letter)
            at += 2
        elif letter == "{":
            end = template.find("}", at)
            name = template[at + 1 : end]
            if end < 0 or not name or not set(name) <= NAME:
                raise ValueError(f"malformed at {at}")
            pieces.append(values.get(name))
            at = end + 1
        elif letter == "}":
            raise ValueError(f"a lone brace at {at}")
        else:
            pieces.append(letter)
            at += 1
    if None in pieces:
        raise KeyError("the template names something that is not in values")
    return "".join(pieces)

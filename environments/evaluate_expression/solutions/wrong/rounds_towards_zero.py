import re


def evaluate(text):
    if not re.fullmatch(r"[0-9+*/() -]*", text) or re.search(
        r"[0-9(] *\+ *\+|^ *\+|\*\*|//|[0-9] +[0-9]|\( *\)", text
    ):
        raise ValueError(text)
    try:
        return int(eval(re.sub(r"\b0+(?=[0-9])", "", text)))
    except (SyntaxError, TypeError):
        raise ValueError(text) from None

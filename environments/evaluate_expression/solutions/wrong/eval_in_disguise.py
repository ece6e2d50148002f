def evaluate(text):
    try:
        return eval(text.replace("/", "//"))
    except SyntaxError:
        raise ValueError(text) from None

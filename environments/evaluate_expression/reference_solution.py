DIGITS = "0123456789"


def evaluate(text):
    tokens = read_tokens(text)
    tree, at = read_sum(tokens, 0)
    if at != len(tokens):
        raise ValueError("something follows the expression")
    return value_of(tree)


def read_tokens(text):
    tokens = []
    after_digit = False
    for letter in text:
        if letter in DIGITS:
            if after_digit:
                tokens[-1] += letter
            else:
                tokens.append(letter)
        elif letter in "+-*/()":
            tokens.append(letter)
        elif letter != " ":
            raise ValueError(f"{letter!r} has no meaning")
        after_digit = letter in DIGITS
    return tokens + ["end"]


def read_sum(tokens, at):
    left, at = read_product(tokens, at)
    while tokens[at] in ("+", "-"):
        right, after = read_product(tokens, at + 1)
        left, at = (tokens[at], left, right), after
    return left, at + (tokens[at] == "end")


def read_product(tokens, at):
    left, at = read_factor(tokens, at)
    while tokens[at] in ("*", "/"):
        right, after = read_factor(tokens, at + 1)
        left, at = (tokens[at], left, right), after
    return left, at


def read_factor(tokens, at):
    token = tokens[at]
    if token == "-":
        inner, at = read_factor(tokens, at + 1)
        return ("-", 0, inner), at
    if token == "(":
        inner, at = read_sum(tokens, at + 1)
        if at == len(tokens) or tokens[at] != ")":
            raise ValueError("a bracket is not closed")
        return inner, at + 1
    if token[0] not in DIGITS:
        raise ValueError(f"{token!r} is no number")
    return int(token), at + 1


def value_of(tree):
    if isinstance(tree, int):
        return tree
    operator, left, right = tree[0], value_of(tree[1]), value_of(tree[2])
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    return left // right

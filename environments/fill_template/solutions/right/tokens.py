import re

TOKEN = re.compile(r"(\{\{)|(\}\})|\{([A-Za-z0-9_]+)\}|([^{}]+)")


def fill_template(template, values):
    tokens, at = [], 0
    while at < len(template):
        token = TOKEN.match(template, at)
        if token is None:
            raise ValueError(template[at:])
        tokens.append(token.groups())
        at = token.end()
    return "".join(
        "{" if opening else "}" if closing else values[name] if name else text
        for opening, closing, name, text in tokens
    )

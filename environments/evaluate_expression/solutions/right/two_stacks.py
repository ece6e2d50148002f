import re

RANK = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3}


def evaluate(text):
    if re.search(r"[^0-9+*/() -]", text):
        raise ValueError(text)
    numbers, operators, program = [], [], []
    wants_number = True
    for token in re.findall(r"[0-9]+|[-+*/()]", text):
        if token[0].isdigit():
            if not wants_number:
                raise ValueError("two numbers side by side")
            program.append(int(token))
            wants_number = False
        elif token == "(" or (token == "-" and wants_number):
            if not wants_number:
                raise ValueError("a number before a bracket")
            operators.append("neg" if token == "-" else "(")
        elif wants_number:
            raise ValueError("a number is missing")
        elif token == ")":
            while operators and operators[-1] != "(":
                program.append(operators.pop())
            if not operators:
                raise ValueError("a bracket is not open")
            operators.pop()
        else:
            while operators and RANK.get(operators[-1], 0) >= RANK[token]:
                program.append(operators.pop())
            operators.append(token)
            wants_number = True
    if wants_number or "(" in operators:
        raise ValueError("the expression is not complete")
    for step in program + operators[::-1]:
        if isinstance(step, int):
            numbers.append(step)
        elif step == "neg":
            numbers.append(-numbers.pop())
        else:
            right, left = numbers.pop(), numbers.pop()
            numbers.append(
                left + right
                if step == "+"
                else left - right
                if step == "-"
                else left * right
                if step == "*"
                else left // right
            )
    return numbers[0]

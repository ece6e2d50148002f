def parse_record(line):
    fields, field, state = [], [], "start"
    for letter in line:
        if state == "quoted":
            if letter == '"':
                state = "quote"
            else:
                field.append(letter)
        elif letter == ",":
            fields.append("".join(field))
            field, state = [], "start"
        elif letter == '"' and state == "start":
            state = "quoted"
        elif letter == '"' and state == "quote":
            field.append('"')
            state = "quoted"
        elif letter == '"' or state == "quote":
            raise ValueError(line)
        else:
            field.append(letter)
            state = "plain"
    if state == "quoted":
        raise ValueError(line)
    return [*fields, "".join(field)]

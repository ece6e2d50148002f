def parse_record(line):
    fields = []
    at = 0
    while True:
        if line[at : at + 1] == '"':
            field, at = read_quoted(line, at + 1)
        else:
            end = line.find(",", at)
            end = len(line) if end == -1 else end
            field, at = line[at:end], end
            if '"' in field:
                raise ValueError("a quote inside a field")
        fields.append(field)
        if at == len(line):
            return fields
        if line[at] != ",":
            raise ValueError("something after a closing quote")
        at += 1


def read_quoted(line, at):
    field = ""
    while True:
        end = line.find('"', at)
        if end == -1:
            raise ValueError("a quoted field is not closed")
        field += line[at:end]
        if line[end + 1 : end + 2] != '"':
            return field, end + 1
        field += '"'
        at = end + 2

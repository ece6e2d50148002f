def parse_record(line):
    fields = []
    for field in line.split(","):
        if field.startswith('"') and field.endswith('"') and len(field) > 1:
            field = field[1:-1].replace('""', '"')
        elif '"' in field:
            raise ValueError(line)
        fields.append(field)
    return fields

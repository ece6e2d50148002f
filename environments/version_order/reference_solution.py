def version_order(versions):
    return sorted(versions, key=age)


def age(version):
    version = version.split("+")[0]
    numbers, dash, parts = version.partition("-")
    release = tuple(int(number) for number in numbers.split("."))
    if not dash:
        return release, 1, ()
    ranks = tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts.split("."))
    return release, 0, ranks

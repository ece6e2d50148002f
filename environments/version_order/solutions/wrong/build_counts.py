import re


def version_order(versions):
    def age(version):
        core, _, build = version.partition("+")
        numbers, _, pre = core.partition("-")
        parts = [
            (not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"\.", pre)
        ]
        return [int(number) for number in numbers.split(".")], pre == "", parts, build

    return sorted(versions, key=age)

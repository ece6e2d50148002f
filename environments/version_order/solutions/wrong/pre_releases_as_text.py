def version_order(versions):
    def age(version):
        numbers, _, pre = version.split("+")[0].partition("-")
        return [int(number) for number in numbers.split(".")], pre == "", pre

    return sorted(versions, key=age)

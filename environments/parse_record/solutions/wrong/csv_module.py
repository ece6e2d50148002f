import csv


def parse_record(line):
    try:
        return next(csv.reader([line], strict=True), [""])
    except csv.Error:
        raise ValueError(line) from None

from itertools import groupby, islice


def trim_runs(values, keep):
    before = len(values)
    values[:] = [item for _, run in groupby(values) for item in islice(run, keep)]
    return before - len(values)

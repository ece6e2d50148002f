from itertools import groupby


def trim_runs(values, keep):
    return sum(max(0, len(list(run)) - keep) for _, run in groupby(values))

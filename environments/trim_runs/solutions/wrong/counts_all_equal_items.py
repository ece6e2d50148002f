from collections import Counter


def trim_runs(values, keep):
    seen, kept = Counter(), []
    for value in values:
        seen[value] += 1
        if seen[value] <= keep:
            kept.append(value)
    removed = len(values) - len(kept)
    values[:] = kept
    return removed

def trim_runs(values, keep):
    length = len(values)
    write = run = 0
    for read in range(length):
        value = values[read]
        if read > 0 and value == previous:
            run += 1
        else:
            run = 1
        previous = value
        if run <= keep:
            values[write] = value
            write += 1
    del values[write:]
    return length - write

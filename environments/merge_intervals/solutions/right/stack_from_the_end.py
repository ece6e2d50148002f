def merge_intervals(intervals):
    todo = sorted(([low, high] for low, high in intervals), reverse=True)
    done = []
    while todo:
        low, high = todo.pop()
        while todo and todo[-1][0] <= high:
            high = max(high, todo.pop()[1])
        done.append([low, high])
    return done

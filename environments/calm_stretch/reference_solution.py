from collections import deque


def calm_stretch(values, spread):
    best = [0, 0]
    start = 0
    highs, lows = deque(), deque()
    for end, value in enumerate(values):
        while highs and values[highs[-1]] <= value:
            highs.pop()
        highs.append(end)
        while lows and values[lows[-1]] >= value:
            lows.pop()
        lows.append(end)
        while values[highs[0]] - values[lows[0]] > spread:
            start += 1
            if highs[0] < start:
                highs.popleft()
            if lows[0] < start:
                lows.popleft()
        length = end - start + 1
        if length > best[1]:
            best = [start, length]
    return best

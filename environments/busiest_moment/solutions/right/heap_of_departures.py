import heapq


def busiest_moment(stays):
    present, best = [], None
    for arrival, departure in sorted(stays):
        while present and present[0] <= arrival:
            heapq.heappop(present)
        heapq.heappush(present, departure)
        if best is None or len(present) > best[1]:
            best = [arrival, len(present)]
    return best

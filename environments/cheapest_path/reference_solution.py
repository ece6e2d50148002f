import heapq


def cheapest_path(roads, start, goal):
    neighbours = {}
    for a, b, toll in roads:
        neighbours.setdefault(a, []).append((b, toll))
        neighbours.setdefault(b, []).append((a, toll))
    todo = [(0, start)]
    done = set()
    while todo:
        cost, town = heapq.heappop(todo)
        if town == goal:
            return cost
        if town in done:
            continue
        done.add(town)
        for other, toll in neighbours.get(town, []):
            heapq.heappush(todo, (cost + toll, other))
    return None

import heapq


def cheapest_path(roads, start, goal):
    todo, done = [(0, start)], set()
    while todo:
        cost, town = heapq.heappop(todo)
        if town == goal:
            return cost
        if town not in done:
            done.add(town)
            for a, b, toll in roads:
                if a == town:
                    heapq.heappush(todo, (cost + toll, b))
    return None

from collections import deque


def cheapest_path(roads, start, goal):
    todo, seen = deque([(start, 0)]), {start}
    while todo:
        town, cost = todo.popleft()
        if town == goal:
            return cost
        for a, b, toll in roads:
            for here, there in ((a, b), (b, a)):
                if here == town and there not in seen:
                    seen.add(there)
                    todo.append((there, cost + toll))
    return None

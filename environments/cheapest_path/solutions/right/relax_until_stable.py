from collections import deque


def cheapest_path(roads, start, goal):
    costs = {start: 0}
    todo = deque([start])
    ways = {}
    for a, b, toll in roads:
        ways.setdefault(a, []).append((toll, b))
        ways.setdefault(b, []).append((toll, a))
    while todo:
        town = todo.popleft()
        for toll, other in ways.get(town, ()):
            if other not in costs or costs[town] + toll < costs[other]:
                costs[other] = costs[town] + toll
                todo.append(other)
    return costs.get(goal)

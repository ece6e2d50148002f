def critical_links(count, links):
    cables = [[] for _ in range(count)]
    for number, (a, b) in enumerate(links):
        cables[a].append((b, number))
        cables[b].append((a, number))
    entered = [None] * count
    lowest = [0] * count
    clock = 0
    critical = []
    for root in range(count):
        if entered[root] is not None:
            continue
        entered[root] = lowest[root] = clock
        clock += 1
        path = [(root, None, iter(cables[root]))]
        while path:
            machine, came_by, rest = path[-1]
            for other, number in rest:
                if number == came_by:
                    continue
                if entered[other] is None:
                    entered[other] = lowest[other] = clock
                    clock += 1
                    path.append((other, number, iter(cables[other])))
                    break
                lowest[machine] = min(lowest[machine], entered[other])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[machine])
                    if lowest[machine] > entered[above]:
                        critical.append([min(above, machine), max(above, machine)])
    return sorted(critical)

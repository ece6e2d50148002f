def critical_links(count, links):
    # In a spanning forest, a cable outside of it makes every cable on the way between its ends safe.
    near = [[] for _ in range(count)]
    for number, (a, b) in enumerate(links):
        near[a].append((b, number))
        near[b].append((a, number))
    parent, by, order = [-1] * count, [-1] * count, []
    seen, in_tree = [False] * count, set()
    for root in range(count):
        if seen[root]:
            continue
        seen[root] = True
        todo = [root]
        while todo:
            machine = todo.pop()
            order.append(machine)
            for other, number in near[machine]:
                if not seen[other]:
                    seen[other] = True
                    parent[other], by[other] = machine, number
                    in_tree.add(number)
                    todo.append(other)
    depth = [0] * count
    for machine in order:
        depth[machine] = depth[parent[machine]] + 1 if by[machine] >= 0 else 0
    covered = [0] * count
    for number, (a, b) in enumerate(links):
        if number in in_tree:
            continue
        covered[a] += 1
        covered[b] += 1
        while a != b:
            if depth[a] < depth[b]:
                a, b = b, a
            a = parent[a]
        covered[a] -= 2
    critical = []
    for machine in reversed(order):
        if by[machine] >= 0:
            if covered[machine] == 0:
                critical.append(sorted((machine, parent[machine])))
            covered[parent[machine]] += covered[machine]
    critical.sort()
    return critical

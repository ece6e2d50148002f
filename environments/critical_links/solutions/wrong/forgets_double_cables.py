def critical_links(count, links):
    near = {machine: set() for machine in range(count)}
    for a, b in links:
        near[a].add(b)
        near[b].add(a)

    def reaches(a, b):
        seen, todo = {a}, [a]
        while todo:
            machine = todo.pop()
            for other in near[machine]:
                if {machine, other} != {a, b} and other not in seen:
                    seen.add(other)
                    todo.append(other)
        return b in seen

    return sorted({tuple(sorted(link)) for link in links if not reaches(*link)})

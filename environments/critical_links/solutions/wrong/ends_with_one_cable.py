def critical_links(count, links):
    degree = [0] * count
    for a, b in links:
        degree[a] += 1
        degree[b] += 1
    return sorted(sorted(link) for link in links if 1 in (degree[link[0]], degree[link[1]]))

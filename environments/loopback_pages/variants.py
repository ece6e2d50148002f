"""Plans of what a server will do: a list of answers for each request in turn, and what has to come of it."""

import random


def pages_of(rng, count, prefix):
    """Pages with overlaps, and paths that tell nothing."""
    items = [f"{prefix}{number}-{rng.randrange(10**6)}" for number in range(3 * count)]
    pages = []
    for number in range(count):
        overlap = items[max(0, 3 * number - rng.randint(0, 2)) : 3 * number]
        pages.append(overlap + items[3 * number : 3 * number + 3])
    paths = ["/items", *(f"/items?after={rng.randrange(16**8):x}%20{number}" for number in range(1, count))]
    return list(zip(paths, pages))


def make_plan(rng, *, faults, restart, fatal):
    """Requests that are to come, in order: (path, status, body)."""
    plan = []
    if restart:
        # A first try over items that are gone later; it ends with 404 instead of its last page.
        old = pages_of(rng, 3, "old")
        plan += [(path, 200, page_body(old, at)) for at, (path, _) in enumerate(old[:-1])] + [
            (old[-1][0], 404, "gone")
        ]
    pages = pages_of(rng, rng.randint(2, 6), "item")
    for at, (path, _) in enumerate(pages):
        plan += [(path, 503, "busy")] * (rng.randint(0, 5) if faults else 0)
        if fatal and at == len(pages) - 1:
            return [*plan, (path, rng.choice([500, 403, 418, 204]), "")], None
        plan.append((path, 200, page_body(pages, at)))
    return plan, list(dict.fromkeys(item for _, page in pages for item in page))


def page_body(pages, at):
    following = pages[at + 1][0] if at + 1 < len(pages) else None
    return {"items": pages[at][1], "next": following}


def make_cases(seed):
    rng = random.Random(seed)
    cases = [("empty_list", ([("/items", 200, {"items": [], "next": None})], []))]
    for number in range(10):
        settings = {"faults": number % 2 == 1, "restart": number % 4 >= 2, "fatal": number in {4, 9}}
        cases.append((f"plan_{number}", make_plan(rng, **settings)))
    return cases

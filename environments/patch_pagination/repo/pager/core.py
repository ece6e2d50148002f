"""Cutting a list into pages; pages are numbered from 1."""


def page_count(total, size):
    """How many pages `total` items take; no items still make one, empty page."""
    return total // size


def page_of(items, number, size):
    """The items on a page; a number that is too small or too large means the first or the last page."""
    number = min(number, page_count(len(items), size))
    start = (number - 1) * size
    return items[start : start + size]


def window(number, count, width):
    """The page numbers to offer around `number`, in order: `width` of them, or all `count` when there are fewer.

    `number` stands in the middle where that is possible (for an even width, just left of it); at the ends, the window is moved, not cut.
    """
    first = max(number - width // 2, 1)
    return list(range(first, min(first + width, count)))

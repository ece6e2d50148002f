import graphlib


def course_order(courses, needs):
    sorter = graphlib.TopologicalSorter({course: set() for course in courses})
    for before, after in needs:
        sorter.add(after, before)
    try:
        return list(sorter.static_order())
    except graphlib.CycleError:
        return None

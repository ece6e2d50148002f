def course_order(courses, needs):
    order, seen = [], set()

    def visit(course):
        if course in seen:
            return
        seen.add(course)
        for before, after in needs:
            if after == course:
                visit(before)
        order.append(course)

    for course in courses:
        visit(course)
    return order

def course_order(courses, needs):
    waiting = {course: 0 for course in courses}
    followers = {course: [] for course in courses}
    for before, after in needs:
        waiting[after] += 1
        followers[before].append(after)
    order = [course for course in courses if waiting[course] == 0]
    for course in order:
        for after in followers[course]:
            waiting[after] -= 1
            if waiting[after] == 0:
                order.append(after)
    return order if len(order) == len(courses) else None

def course_order(courses, needs):
    count = {course: sum(after == course for _, after in needs) for course in courses}
    order = sorted(courses, key=count.get)
    place = {course: at for at, course in enumerate(order)}
    return order if all(place[before] < place[after] for before, after in needs) else None

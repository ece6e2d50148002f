def common_boss(boss_of, first, second):
    def chain(person):
        people = []
        while person is not None:
            people.append(person)
            person = boss_of[person]
        return people[::-1]

    common = None
    for left, right in zip(chain(first), chain(second)):
        if left != right:
            break
        common = left
    return common

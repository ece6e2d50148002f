def common_boss(boss_of, first, second):
    above = set()
    while boss_of[first] is not None:
        first = boss_of[first]
        above.add(first)
    second = boss_of[second]
    while second is not None and second not in above:
        second = boss_of[second]
    return second

def common_boss(boss_of, first, second):
    above = set()
    while first is not None:
        above.add(first)
        first = boss_of[first]
    while second is not None and second not in above:
        second = boss_of[second]
    return second

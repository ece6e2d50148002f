def common_boss(boss_of, first, second):
    while boss_of[first] is not None:
        first = boss_of[first]
    while boss_of[second] is not None:
        second = boss_of[second]
    return first if first == second else None

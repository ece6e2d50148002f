"""Programs for each rule, then random ones in which loops end and some line may be wrong."""

import random

EDGES = {
    "loops": [
        "set n 3\nshow n\nadd n -1\nback n 2",
        "set a 1\nset n 20\nmul a -3\nadd n -1\nback n 2\nshow a",
        "set n 2\n\nshow n\nadd n -1\n\nback n 4\nset n 0",
        "show 1\nback 0 9\nshow 2",
        "show 1\nback -1 1\nshow 2",
    ],
    "skips": [
        "skip 0 1\nshow 1\nshow 2",
        "skip 1 1\nshow 1\nshow 2",
        "skip -1 1\nshow 1\nshow 2",
        "skip 0 0\nshow 1",
        "skip 0 99\nshow 1",
        "set z 0\nskip z 2\nshow 1\nnonsense\nshow 3",
        "show 5\nskip 0 1\n\nshow 6\n\n",
    ],
    "unknown_names": [
        "show a",
        "show 1\nadd a 1",
        "set a b",
        "set a 1\nmul a b",
        "mul b 1",
        "skip q 0",
        "back q 0",
        "set a a",
    ],
    "malformed": [
        "show 1\nshow",
        "show 1\nprint 1",
        "show 1\nset A 1",
        "show 1\nset ab 1",
        "set a 1\nset a  2",
        "show 1 ",
        " show 1",
        "show 1 2",
        "set a +1",
        "set a 1.5",
        "skip 0 -1",
        "set a 1\nskip 0 a",
        "show --1",
        "show 1\n ",
        "set 1 1",
        "back 1 x",
        "show 7\nSHOW 1",
        "show ab",
    ],
    "too_far_back": [
        "back 1 1",
        "show 1\nback 1 2",
        "set a 1\nshow a\nadd a -1\nback a 3",
        "set a 2\nback a 3\nshow a",
    ],
    "nothing_to_show": ["", "\n\n", "set a 5", "show 1\n\n\nshow a"],
}


def random_program(rng):
    lines = [f"set {name} {rng.randint(-5, 9)}" for name in "abc"] + ["show a", f"set n {rng.randint(1, 6)}"]
    body = []
    for _ in range(rng.randint(2, 8)):
        kind = rng.choice(["set", "add", "mul", "show", "show", "skip"])
        value = rng.choice(["a", "b", "c", "n", str(rng.randint(-3, 3))])
        if kind == "show":
            body.append(f"show {value}")
        elif kind == "skip":
            body.append(f"skip {value} {rng.randint(0, 2)}")
        else:
            # A name that is multiplied by a name in a loop would get as long as the world.
            value = rng.randint(-3, 3) if kind == "mul" else value
            body.append(f"{kind} {rng.choice('abc')} {value}")
    # Padding, so that a skip at the end of the body never jumps over the counter.
    lines += [*body, "", "", "add n -1", f"back n {len(body) + 3}", "show b", "show c"]
    if rng.random() < 0.4:
        lines.insert(
            rng.randint(len(lines) - 4, len(lines)), rng.choice(["show d", "add", "set a", "jump 1"])
        )
    return "\n".join(lines)


def make_cases(seed):
    rng = random.Random(seed)
    cases = [(name, [((), text) for text in texts]) for name, texts in EDGES.items()]
    for number in range(8):
        cases.append((f"random_{number}", [((), random_program(rng)) for _ in range(3)]))
    return cases

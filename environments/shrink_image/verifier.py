"""Compares the numbers of the small image with an oracle that looks up each value by its coordinates."""

from deepgym_solution import run_seed

from programs import check_files
from scoring import difference, verdict
from variants import make_cases


def oracle(files):
    words = " ".join(line.split("#")[0] for line in files["image.pgm"].split("\n")).split()
    width, height = int(words[1]), int(words[2])
    at = {(x, y): int(words[4 + y * width + x]) for x in range(width) for y in range(height)}
    small = [words[0], str((width + 1) // 2), str((height + 1) // 2), words[3]]
    for y in range(0, height, 2):
        for x in range(0, width, 2):
            block = [at[place] for place in ((x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)) if place in at]
            small.append(str(sum(block) // len(block)))
    return {"small.pgm": " ".join(small)}


def same_words(got, expected):
    return difference(got.split(), expected.split(), "the list of words")


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    return verdict(check_files(solution_path, make_cases(seed), oracle, compare=same_words), seed)

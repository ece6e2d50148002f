"""Compares both files with an oracle that follows each article by itself through all moves."""

from deepgym_solution import run_seed

from programs import check_files
from scoring import verdict
from variants import make_cases


def oracle(files):
    begin = dict(line.split() for line in files["stock.txt"].splitlines())
    moves = [line.split() for line in files["moves.txt"].splitlines()]
    refused, ends = set(), {}
    for article in {*begin, *(move[1] for move in moves)}:
        count = int(begin.get(article, 0))
        for number, (sign, other, amount) in enumerate(moves):
            if other == article:
                after = count + int(f"{sign}{amount}")
                if after < 0:
                    refused.add(number)
                count = max(after, 0) if number not in refused else count
        ends[article] = count
    stock = "".join(f"{article} {ends[article]}\n" for article in sorted(ends) if ends[article])
    return {
        "stock_new.txt": stock,
        "refused.txt": "".join(f"{' '.join(moves[n])}\n" for n in sorted(refused)),
    }


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    return verdict(check_files(solution_path, make_cases(seed), oracle), seed)

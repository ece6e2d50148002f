"""Compares the report as JSON, types included, with an oracle in exact fractions."""

import json
from fractions import Fraction

from deepgym_solution import run_seed

from programs import check_files, same_json
from scoring import verdict
from variants import make_cases


def oracle(files):
    sales = [line.split(",") for line in files["sales.csv"].split("\n")[1:] if line]
    money = [
        (day, product, int(pieces), int(pieces) * Fraction(price) * 100)
        for day, product, pieces, price in sales
    ]
    by_day = {day: sum(cents for other, _, _, cents in money if other == day) for day, *_ in money}
    report = {
        "revenue": int(sum(by_day.values())),
        "products": {
            product: {
                "pieces": sum(pieces for _, other, pieces, _ in money if other == product),
                "cents": int(sum(cents for _, other, _, cents in money if other == product)),
            }
            for _, product, _, _ in money
        },
        "best_day": min((day for day in by_day if by_day[day] == max(by_day.values())), default=None),
        "returns": sum(pieces < 0 for _, _, pieces, _ in money),
    }
    return {"report.json": json.dumps(report)}


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    return verdict(check_files(solution_path, make_cases(seed), oracle, compare=same_json), seed)

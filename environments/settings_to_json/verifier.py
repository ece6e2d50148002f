"""Compares the JSON value, types included, with an oracle that names every line's kind first."""

import json
import re

from deepgym_solution import run_seed

from programs import check_files, same_json
from scoring import verdict
from variants import make_cases


def kind_of(line):
    if re.fullmatch(r"([#;].*)?", line):
        return "nothing"
    if line.startswith("[") and line.endswith("]"):
        return "section"
    return "setting" if "=" in line else "malformed"


def read_value(text):
    if re.fullmatch("true|false|-?[0-9]+", text):
        # JSON knows no leading zeros.
        return json.loads(re.sub("^(-?)0+(?=[0-9])", r"\1", text))
    return text or None


def oracle(files):
    lines = [line.strip() for line in files["settings.ini"].split("\n")]
    kinds = [kind_of(line) for line in lines]
    if "malformed" in kinds:
        return {"settings.json": json.dumps({"error": kinds.index("malformed") + 1})}
    sections, name = {}, ""
    for line, kind in zip(lines, kinds, strict=True):
        if kind == "section":
            name = line[1:-1].strip()
            sections.setdefault(name, {})
        elif kind == "setting":
            key, value = line.split("=", 1)
            sections.setdefault(name, {})[key.strip()] = read_value(value.strip())
    kept = {name: settings for name, settings in sections.items() if name or settings}
    return {"settings.json": json.dumps(kept)}


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    return verdict(check_files(solution_path, make_cases(seed), oracle, compare=same_json), seed)

"""Sound, incomplete and malformed templates together in every case, over an alphabet that is mostly braces."""

import random
import string

VALUES = {"a": "1", "b": "{a}", "_c9": "", "who": "Ada", "x": "}{"}
EDGES = [
    ("plain", ["", "text", "{a}", "a", "{a}{b}", "{{{a}}}", "{who}{{who}}", "{_c9}|", "{x}"]),
    ("lone_braces", ["{", "}", "{a", "a}", "{a}}", "{{a}", "{{}", "{}}", "}{", "{}", "{a}"]),
    ("doubled", ["{{", "}}", "{{}}", "{{{{", "}}}}", "{{{", "}}}", "{{{{{", "{{a}}", "{{{b}}}", "{{{{a}}}}"]),
    (
        "names",
        [
            "{a b}",
            "{ a}",
            "{a-b}",
            "{é}",
            "{a{b}}",
            "{A}",
            "{9}",
            "{a.b}",
            "{a!r}",
            "{a:>9}",
            "{a[0]}",
            "{a}",
        ],
    ),
    ("which_error", ["{no}{", "{no}", "{no} }", "{a} {no}", "{", "}{no}", "{{no}}"]),
]


def make_cases(seed):
    rng = random.Random(seed)
    cases = [(name, [(template, dict(VALUES)) for template in templates]) for name, templates in EDGES]
    every_letter = string.ascii_letters + string.digits + "_"
    cases.append(
        ("long_name", [("{" + every_letter + "}", {every_letter: "x"}), ("{" + every_letter + "-}", {})])
    )
    cases.append(("no_values", [("{a}", {}), ("{{a}}", {}), ("{", {}), ("", {})]))
    for number in range(10):
        templates = ["".join(rng.choice("{}a{}x-") for _ in range(rng.randint(1, 8))) for _ in range(40)]
        pieces = ["{a}", "{b}", "{{", "}}", "text ", "{who}"]
        templates += ["".join(rng.choices(pieces, k=rng.randint(2, 9))) for _ in range(8)]
        cases.append((f"random_{number}", [(template, dict(VALUES)) for template in templates]))
    return cases

"""The page that documents every rule, made from the rules themselves."""

from __future__ import annotations

from deepgym.qa.rules import RULES, Rule

__all__ = ["render_rule_page"]

_PARTS = {
    "DG0": ("The folder", "Found by reading it."),
    "DG1": (
        "The verifier's source",
        (
            "Found by `deepgym check` in the verifier's syntax tree, with line and column. What a rule is about may "
            "be meant; a comment on that line then says so, with the reason: "
            "`# deepgym: allow DG103 -- the task accepts any number type`."
        ),
    ),
    "DG2": ("A few runs", "Found by `deepgym check` when it runs the reference, the known answers and none."),
    "DG3": (
        "Strength",
        "Found by `deepgym qa`, which tries cheats, answers without thought, mutants and other forms.",
    ),
}

_HEAD = """\
# The rules of `check` and `qa`

Each has an id that stays, a reason and a remedy. An *error* makes an environment unsound (exit code 1), a *warning*
does not, and *unknown* means that nothing could be told (exit code 2).

<!-- Made from deepgym/qa/rules.py by `python -m deepgym.qa.rule_page`; a test compares the two. -->
"""


def render_rule_page() -> str:
    """The page, as Markdown."""
    parts = [_HEAD]
    for prefix, (title, text) in _PARTS.items():
        parts.append(f"## {title}\n\n{text}\n")
        parts += [_section(rule) for rule in RULES.values() if rule.id.startswith(prefix)]
    return "\n".join(parts)


def _section(rule: Rule) -> str:
    return f"### {rule.id}: {rule.title}\n\n*{rule.severity}*. {rule.why}\n\nRemedy: {rule.fix}.\n"


if __name__ == "__main__":
    print(render_rule_page(), end="")  # noqa: T201 -- this is the program's output

"""A linter over a verifier's syntax tree: what makes a verdict worth less, with rule, position and fix.

It follows what comes from the solution through assignments, loops and the module's own functions, and reports where
such values are used in a way that an answer could turn to its gain. It runs nothing.
"""

from deepgym.qa.lint.linter import lint_source

__all__ = ["lint_source"]

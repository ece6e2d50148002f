"""Solutions that are diffs: apply one to the project of an environment, and load what comes of it.

The project lies in `repo/`, beside the verifier. Its tests are there for the solver to read; the solution may not touch
them, and they are not run: what counts are the verifier's own cases.
"""

from pathlib import Path

from deepgym_solution import apply_patch, load_files, solution_source

PROTECTED = ("tests/*", "conftest.py")


def load_patched(solution_path, entry, *, protect=PROTECTED):
    """The project after the solution's diff, in a process of its own, ready to be called by a module's name.

    Raises:
        SolutionError: The diff is malformed, does not fit or touches protected files, or the module cannot be imported.
    """
    project = {
        str(path.relative_to("repo")): path.read_text("utf-8") for path in sorted(Path("repo").rglob("*.py"))
    }
    return load_files(apply_patch(solution_source(solution_path), project, protect=protect), entry)

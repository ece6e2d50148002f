"""The library that verifiers use to start a solution, call it, and read what it wrote.

The solution runs in its own sealed process. What crosses is plain data; whatever else a solution does arrives as a
`SolutionError`, and a machine that could not start it as a `LaunchError`.
"""

from deepgym_solution._loading import load_files, load_solution
from deepgym_solution._outputs import read_output, read_output_bytes
from deepgym_solution._patches import apply_patch
from deepgym_solution._proxy import Handle, Solution
from deepgym_solution._reporting import report
from deepgym_solution._runtime import run_seed
from deepgym_solution._scripts import CompletedSolution, run_solution
from deepgym_solution._sources import solution_source
from deepgym_solution.errors import (
    LaunchError,
    PatchError,
    ProtectedPathError,
    SolutionError,
    SolutionProtocolError,
    SolutionTimeoutError,
)

__all__ = [
    "CompletedSolution",
    "Handle",
    "LaunchError",
    "PatchError",
    "ProtectedPathError",
    "Solution",
    "SolutionError",
    "SolutionProtocolError",
    "SolutionTimeoutError",
    "apply_patch",
    "load_files",
    "load_solution",
    "read_output",
    "read_output_bytes",
    "report",
    "run_seed",
    "run_solution",
    "solution_source",
]

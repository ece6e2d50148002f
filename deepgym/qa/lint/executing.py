"""What runs code or opens files that the solution has a hand in: DG101, DG111, DG114, DG115."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepgym.qa.lint.taint import ModuleTaint, called_name

__all__ = ["find"]

Found = tuple[str, ast.expr | ast.stmt, str]

_STARTERS = {
    ("subprocess", "run"), ("subprocess", "Popen"), ("subprocess", "call"), ("subprocess", "check_call"),
    ("subprocess", "check_output"), ("subprocess", "getoutput"), ("os", "system"), ("os", "popen"),
    ("os", "execv"), ("os", "execvp"), ("os", "spawnv"), ("pytest", "main"), ("runpy", "run_path"),
    ("runpy", "run_module"), ("multiprocessing", "Process"),
}  # fmt: skip
_IMPORTERS = {"import_module", "__import__", "spec_from_file_location", "SourceFileLoader", "load_source"}
_UNPICKLERS = {"pickle", "cPickle", "marshal", "dill", "cloudpickle", "shelve", "joblib"}


def find(taint: ModuleTaint) -> Iterator[Found]:
    """Findings of these rules."""
    for node in ast.walk(taint.tree):
        if isinstance(node, ast.Call):
            yield from _own_run(taint, node)
            yield from _executed_data(node)
            yield from _fixed_seed(node)
            yield from _opened_output(taint, node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imported(node)


def _own_run(taint: ModuleTaint, call: ast.Call) -> Iterator[Found]:
    name = called_name(call.func)
    owner = _module_of(call.func)
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    touches = any(_holds_solution(taint, argument) for argument in arguments)
    if (owner, name) in _STARTERS and touches:
        yield "DG101", call, f"{owner}.{name} starts the solution without a wall around it"
    elif name in _IMPORTERS and (touches or any(_says_solution(argument) for argument in arguments)):
        yield "DG101", call, f"{name} loads the solution into the verifier's own process"
    elif name in {"exec", "eval", "compile"} and not owner and touches:
        yield "DG101", call, f"{name} runs the solution in the verifier's own process"


def _executed_data(call: ast.Call) -> Iterator[Found]:
    name = called_name(call.func)
    owner = _module_of(call.func)
    if name in {"exec", "eval"} and not owner:
        yield "DG111", call, f"{name} runs the text that it is given"
    elif owner in _UNPICKLERS and name in {"load", "loads", "Unpickler", "open"}:
        yield "DG111", call, f"{owner}.{name} can run what it reads"
    elif owner == "yaml" and name in {"load", "load_all", "unsafe_load", "full_load"}:
        yield "DG111", call, f"yaml.{name} can build any object: use yaml.safe_load"


def _fixed_seed(call: ast.Call) -> Iterator[Found]:
    name = called_name(call.func)
    if name not in {"seed", "Random", "default_rng"}:
        return
    is_random = not isinstance(call.func, ast.Attribute) or _root(call.func) in {"random", "np", "numpy"}
    if is_random and len(call.args) == 1 and isinstance(call.args[0], ast.Constant):
        yield "DG114", call, f"the seed is always {call.args[0].value!r}"


def _opened_output(taint: ModuleTaint, call: ast.Call) -> Iterator[Found]:
    """A file below the folder that a solution ran in, opened by name."""
    name = called_name(call.func)
    if name not in {"open", "read_text", "read_bytes", "load"}:
        return
    folders = {
        keyword.value.id
        for node in ast.walk(taint.tree)
        if isinstance(node, ast.Call) and called_name(node.func) == "run_solution"
        for keyword in node.keywords
        if keyword.arg == "cwd" and isinstance(keyword.value, ast.Name)
    }
    place = call.args[0] if call.args and not isinstance(call.func, ast.Attribute) else call.func
    if _opens_for_writing(call) or not folders:
        return
    if any(isinstance(part, ast.Name) and part.id in folders for part in ast.walk(place)):
        yield "DG115", call, "a file in the solution's folder is opened by its name"


def _opens_for_writing(call: ast.Call) -> bool:
    modes = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    return any(isinstance(mode, ast.Constant) and str(mode.value)[:1] in {"w", "a", "x"} for mode in modes)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[Found]:
    modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [item.name for item in node.names]
    if any(module.split(".")[0] in {"solution", "submission", "candidate"} for module in modules):
        yield "DG101", node, "the solution is imported into the verifier's own process"


def _holds_solution(taint: ModuleTaint, node: ast.expr) -> bool:
    return any(
        taint.kind(part) in ("path", "source") for part in ast.walk(node) if isinstance(part, ast.expr)
    )


def _says_solution(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and "solution" in node.value


def _module_of(func: ast.expr) -> str:
    """`json` of `json.loads`; empty for anything else."""
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
        return func.value.id
    return ""


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""

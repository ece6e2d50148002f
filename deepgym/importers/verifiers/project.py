"""A project's modules as tests import them, while the project itself runs in the solution's process.

One process holds the whole project. It is entered by a module that has every top-level name of every module; here each
module is stood for by one that calls those. An exception class of the project is stood for by a class of the same name,
so that tests can expect it. Only modules of the project's own top-level names are stood for: a patch that adds a module
called like one of the tests' tools changes nothing for the tests.
"""

# ruff: noqa: SLF001 - the functions beside Instance are part of it

import ast
import builtins
import importlib.abc
import importlib.machinery
import os
import types

from deepgym_solution import LaunchError, SolutionError

ENTRY = "deepgym_entry"
MARK = "deepgym object"
MAX_PARSED_CHARS = 2_000_000

with open("entry.py", encoding="utf-8") as file:
    ENTRY_CODE = file.read()


class Project(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the project's modules for the tests; the solution is started when the first one is imported."""

    def __init__(self, files, source_root, tops, folder, *, start):
        self._start = start
        self._folder = folder
        self._files = {strip_root(path, source_root): text for path, text in files.items()}
        named = {module_name(path): text for path, text in self._files.items() if path.endswith(".py")}
        self._modules = {
            name: text for name, text in named.items() if is_module(name) and name.split(".")[0] in tops
        }
        self._names = {name: top_level_names(text) for name, text in self._modules.items()}
        self._exceptions = exception_classes(self._modules.values())
        packages = {module_name(path) for path in self._files if path.endswith("/__init__.py")}
        self._packages = {parent for name in self._modules for parent in parents(name)} | (
            packages & set(self._modules)
        )
        self._solution = None
        self._launch_error = None

    def find_spec(self, fullname, path=None, target=None):
        """Where a module comes from: from here, or None for the other finders to say."""
        del path, target
        if fullname not in self._modules and fullname not in self._packages:
            return None
        is_package = fullname in self._packages
        spec = importlib.machinery.ModuleSpec(fullname, self, is_package=is_package)
        if is_package:
            # Tests may lie inside the project's packages.
            spec.submodule_search_locations = [os.path.join(self._folder, *fullname.split("."))]
        return spec

    def create_module(self, spec):
        """The module that stands for the project's."""
        module = types.ModuleType(spec.name)
        module.__getattr__ = lambda name: self.read(spec.name, name)
        module.__all__ = [name for name in self._names.get(spec.name, ()) if not name.startswith("_")]
        return module

    def exec_module(self, module):
        """Nothing: the module's code runs in the solution's process."""

    def read(self, module, name):
        """What a module's name stands for."""
        if name in self._exceptions and name in self._names.get(module, ()):
            return self._exceptions[name]
        if name.startswith("__") or name not in self._names.get(module, ()):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return self.use("deepgym_read", entry_name(module, name))

    def solution(self):
        """The running project."""
        if self._solution is None:
            source = entry_source(self._names)
            self._solution = self._start({**self._files, f"{ENTRY}.py": source}, ENTRY)
        return self._solution

    def use(self, how, *args):
        """What comes of a step in the project's process, with the project's own exceptions as the tests know them."""
        try:
            return self.wrap(self.solution().call(how, *args))
        except LaunchError as error:
            self._launch_error = error
            raise
        except SolutionError as error:
            kind = self._exceptions.get(raised_name(error))
            if kind is None:
                raise
            raise kind(str(error)) from None

    def wrap(self, value):
        """Plain data as they are, with something that stands for each object among them."""
        if isinstance(value, dict) and type(value.get(MARK)) is int:
            return Instance(self, value)
        if isinstance(value, (list, tuple)):
            return type(value)([self.wrap(item) for item in value])
        if isinstance(value, dict):
            return {key: self.wrap(item) for key, item in value.items()}
        return value

    def reraise_launch_error(self):
        """A machine that could not start the solution is nobody's failed test."""
        if self._launch_error is not None:
            raise self._launch_error


class Instance:
    """An object, class or function of the project; it is used where it is.

    Whether it is true or equal to anything is not asked: the solution's own code would answer.
    """

    __bool__ = None
    __hash__ = None

    def __init__(self, project, mark):
        object.__setattr__(self, "_project", project)
        object.__setattr__(self, "_mark", mark)

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self._project.use("deepgym_attribute", self._mark[MARK], name)

    def __setattr__(self, name, value):
        raise AttributeError(f"{name} cannot be set from a test")

    def __call__(self, *args, **kwargs):  # noqa: D102 - said by the class
        arguments = [unwrap(value) for value in args], {name: unwrap(value) for name, value in kwargs.items()}
        return self._project.use("deepgym_call", self._mark[MARK], *arguments)

    def __eq__(self, other):
        raise TypeError(f"a {self._mark['type']} cannot be compared here: compare what its methods return")

    def __iter__(self):
        return iter(self._project.use("deepgym_items", self._mark[MARK]))

    def __enter__(self):
        return apply(self, "__enter__")

    def __exit__(self, *_):
        apply(self, "__exit__", None, None, None)

    def __len__(self):
        return apply(self, "__len__")

    def __getitem__(self, key):
        return apply(self, "__getitem__", key)

    def __setitem__(self, key, value):
        apply(self, "__setitem__", key, value)

    def __contains__(self, item):
        return apply(self, "__contains__", item)

    def __str__(self):
        return apply(self, "__str__")

    def __repr__(self):
        return f"<{self._mark['type']} of the project>"


def apply(instance, name, *args):
    """What an operator gives that is used on an object of the project."""
    return instance._project.use("deepgym_operator", instance._mark[MARK], name, unwrap(list(args)))


def unwrap(value):
    """A value as it crosses, with the marks of the project's objects in it."""
    if isinstance(value, Instance):
        return value._mark
    if type(value) in (list, tuple):
        return type(value)([unwrap(item) for item in value])
    if type(value) is dict:
        return {key: unwrap(item) for key, item in value.items()}
    return value


def entry_source(names):
    """A module that has every name of every module that can be imported, and can be used from here."""
    lines = []
    for module, found in names.items():
        for name in found:
            lines += ["try:", f"    from {module} import {name} as {entry_name(module, name)}"]
            lines += ["except Exception:", "    pass"]
    return "\n".join([*lines, ENTRY_CODE])


def entry_name(module, name):
    return f"{module.replace('_', '_u').replace('.', '_d')}_n_{name}"


def top_level_names(source):
    """The names that a module binds; none, where it cannot be parsed."""
    found = {}
    for node in parse(source):
        for each in [node, *bodies(node)]:
            if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found[each.name] = True
            elif isinstance(each, (ast.Import, ast.ImportFrom)):
                found |= {
                    alias.asname or alias.name.split(".")[0]: True
                    for alias in each.names
                    if alias.name != "*"
                }
            elif isinstance(each, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                targets = each.targets if isinstance(each, ast.Assign) else [each.target]
                names = [
                    node for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)
                ]
                found |= {node.id: True for node in names}
    return [name for name in found if not (name.startswith("__") and name.endswith("__"))]


def bodies(node):
    """The statements directly inside a top-level try or if."""
    if not isinstance(node, (ast.If, ast.Try)):
        return []
    blocks = [node.body, node.orelse, *(handler.body for handler in getattr(node, "handlers", []))]
    return [statement for block in blocks for statement in block]


def exception_classes(sources):
    """Classes that stand for the exceptions that a project defines, by name."""
    waiting = [node for source in sources for node in parse(source) if isinstance(node, ast.ClassDef)]
    found = {}
    while True:
        ready = [node for node in waiting if node.name not in found and bases_of(node, found)]
        if not ready:
            return found
        for node in ready:
            bases = tuple(dict.fromkeys(bases_of(node, found)))
            try:
                found[node.name] = type(node.name, bases, {"__init__": plain_init})
            except TypeError:
                waiting.remove(node)


def plain_init(self, *args):
    Exception.__init__(self, *args)


def bases_of(node, found):
    names = [base.id if isinstance(base, ast.Name) else getattr(base, "attr", "") for base in node.bases]
    known = [found.get(name) or getattr(builtins, name, None) for name in names]
    return [kind for kind in known if isinstance(kind, type) and issubclass(kind, Exception)]


def raised_name(error):
    """The name of the class that the solution raised, from the last line of its traceback."""
    lines = getattr(error, "solution_traceback", "").strip().splitlines()
    for line in reversed(lines):
        if line and not line[0].isspace():
            return line.split(":", 1)[0].rsplit(".", 1)[-1].strip()
    return ""


def parse(source):
    if not isinstance(source, str) or len(source) > MAX_PARSED_CHARS:
        return []
    try:
        return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def strip_root(path, root):
    return path[len(root) + 1 :] if root and path.startswith(f"{root}/") else path


def module_name(path):
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def is_module(name):
    return all(part.isidentifier() for part in name.split("."))


def parents(name):
    parts = name.split(".")
    return {".".join(parts[:count]) for count in range(1, len(parts))}

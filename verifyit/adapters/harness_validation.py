"""Whether a harness task still is the one that was looked at: its functions, by the digest of their source.

A task configuration of an evaluation harness names functions in a Python file beside it. An adapter that
stands for such a function may do so only while the file has the bytes it was written against, and while
the loaded functions are those of the file.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final

from verifyit.reward import InvalidTask

# A file of functions is short; what is longer is none.
MAX_SOURCE_BYTES: Final = 1_000_000
DEFAULT_FILTERS: Final[tuple[object, ...]] = (
    None,
    [],
    [{"name": "none", "filter": [{"function": "take_first"}]}],
)


@dataclass(frozen=True)
class Contract:
    """What a recognized task declares, and the digests its functions may have.

    Attributes:
        label: What to call it in messages.
        datasets: What its dataset's path starts with.
        output_type: How a model answers it.
        metrics: The metrics it reports, or some of them.
        function: The name of its process_results function.
        digests: SHA-256 digests of the file that function is in.
    """

    label: str
    datasets: tuple[str, ...]
    output_type: str
    metrics: frozenset[str]
    function: str
    digests: frozenset[str]

    def declares(self, config: Mapping[str, Any]) -> bool:
        """Whether a configuration is one of these."""
        path = config.get("dataset_path")
        names = metric_names(config)
        return (
            isinstance(path, str)
            and path.startswith(self.datasets)
            and config.get("output_type") == self.output_type
            and bool(names)
            and names <= self.metrics
            and getattr(config.get("process_results"), "__name__", None) == self.function
        )

    def namespace(self, task: Any) -> dict[str, Any] | None:
        """The functions of a task of this contract, or None for another task.

        Raises:
            InvalidTask: The task is one of these, and was changed.
        """
        config = task_config(task)
        if not self.declares(config):
            return None
        validate_default_filter(task, self.label)
        return pinned_function_namespace(config["process_results"], self.function, self.digests)


def task_config(task: Any) -> dict[str, Any]:
    """The configuration of a task, as a table; empty if it has none."""
    config = getattr(task, "config", None)
    if isinstance(config, Mapping):
        return dict(config)
    fields = getattr(config, "__dict__", None)
    return dict(fields) if isinstance(fields, dict) else {}


def metric_names(config: Mapping[str, Any]) -> frozenset[str]:
    """The names of the metrics that a configuration reports."""
    entries = config.get("metric_list")
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        return frozenset()
    return frozenset(entry["metric"] for entry in entries if isinstance(entry.get("metric"), str))


def utils_callback_path(callback: object, name: str) -> Path | None:
    """The file that a function of that name was loaded from, or None if it is no such function."""
    if not isinstance(callback, FunctionType) or callback.__name__ != name:
        return None
    path = Path(callback.__code__.co_filename)
    return path if path.suffix == ".py" and path.is_file() else None


def pinned_source_bytes(path: Path, digests: Collection[str]) -> bytes | None:
    """The bytes of a file if they have one of the digests, else None."""
    try:
        with path.open("rb") as file:
            source = file.read(MAX_SOURCE_BYTES + 1)
    except OSError:
        return None
    return source if hashlib.sha256(source).hexdigest() in digests else None


def compiled_source_functions(source: bytes, filename: str) -> tuple[CodeType, ...]:
    """The code of the functions at the top level of a source.

    Raises:
        InvalidTask: The source does not compile.
    """
    try:
        # Compiled, never run.
        module = compile(source, filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise InvalidTask(f"{filename} does not compile: {error}") from None
    return tuple(value for value in module.co_consts if isinstance(value, CodeType))


def source_functions_match(
    namespace: dict[str, Any], codes: Sequence[CodeType], defaults: Mapping[str, tuple[object, ...]]
) -> bool:
    """Whether a namespace holds exactly the functions of a source.

    Args:
        namespace: The globals of a loaded module.
        codes: The code of the functions it should hold.
        defaults: The default arguments of those that have any, by name.
    """
    for code in codes:
        function = namespace.get(code.co_name)
        function = getattr(function, "__wrapped__", function)
        if not isinstance(function, FunctionType) or function.__code__ != code:
            return False
        if code.co_name in defaults and (function.__defaults__ or ()) != defaults[code.co_name]:
            return False
    return True


def pinned_function_namespace(
    function: Callable[..., Any], name: str, digests: Collection[str]
) -> dict[str, Any]:
    """The globals of a function, if its file is pinned and nothing in it was replaced.

    Raises:
        InvalidTask: The function is not one of that name in a file, the file was changed, or a function of
            the file was replaced after it was loaded.
    """
    path = utils_callback_path(function, name)
    source = None if path is None else pinned_source_bytes(path, digests)
    if path is None or source is None:
        raise InvalidTask(f"the source of {name} is not one that is known")
    namespace: dict[str, Any] = function.__globals__
    codes = [code for code in compiled_source_functions(source, str(path)) if code.co_name in namespace]
    if name not in {code.co_name for code in codes} or not source_functions_match(namespace, codes, {}):
        raise InvalidTask(f"a function beside {name} was replaced")
    return namespace


def validate_default_filter(task: Any, label: str) -> None:
    """Refuse a task whose answers pass a filter of its own.

    Raises:
        InvalidTask: It has one.
    """
    if task_config(task).get("filter_list") not in DEFAULT_FILTERS:
        raise InvalidTask(f"{label} has a filter of its own")


def log_likelihoods(responses: Any, label: str) -> list[float]:
    """The log-likelihoods in responses of ``(log-likelihood, is greedy)``.

    Raises:
        InvalidTask: The responses are not of that form, or a number is not finite.
    """
    values = []
    for response in responses if isinstance(responses, list | tuple) else [None]:
        if not isinstance(response, list | tuple) or len(response) != 2:
            raise InvalidTask(f"the responses of {label} are not pairs")
        # The harness gives its own number types; float() makes plain ones of them.
        try:
            value = float(response[0])
        except (TypeError, ValueError):
            raise InvalidTask(f"a log-likelihood of {label} is no number") from None
        if not math.isfinite(value):
            raise InvalidTask(f"a log-likelihood of {label} is not finite")
        values.append(value)
    return values


def only_text(responses: Any, label: str) -> str:
    """The one text that a generated response consists of.

    Raises:
        InvalidTask: There is not exactly one text.
    """
    if not isinstance(responses, list | tuple) or len(responses) != 1 or not isinstance(responses[0], str):
        raise InvalidTask(f"the responses of {label} are not one text")
    return responses[0]

"""Task folders in Harbor's layout, run as they are.

    task.toml               settings; optional
    instruction.md          the prompt
    tests/verifier.toml     a verifyit spec: the environment's verifier, with all of tests/ as its support files
    tests/test.sh           else this script is run, beside the answer, and leaves a reward
    solution/               an answer that is right: a file of the answer's name, or a solve.sh that writes it out

An answer is one text. It becomes the file that `[metadata] answer_file` or the spec names, or that the instruction
tells to write below /app, and else `/app/answer.txt`. Reading a folder runs nothing in it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import ValidationError

from deepgym._packed_file import PackedFile
from deepgym.errors import EnvironmentFileError
from deepgym.models import MAX_TIMEOUT_S, Environment

__all__ = [
    "HarborTask",
    "exported_environment",
    "is_harbor_task",
    "read_harbor_task",
    "script_verifier",
    "spec_answer",
]

DEFAULT_ANSWER = "/app/answer.txt"
DEFAULT_TIMEOUT_S = 600.0
# Beyond the script's own time: to start the boxes and to copy its folders.
_SPARE_S = 30.0
# A task's tests may have data; a whole data set belongs elsewhere.
MAX_TESTS_BYTES = 60 * 1024 * 1024

_PATH = re.compile(r"/app/[A-Za-z0-9_./-]*[A-Za-z0-9_]")
_WRITE = re.compile(r"\b(?:writ|sav|put|creat|stor|output|plac|implement|produc)[a-z]{0,6}\b", re.IGNORECASE)
_HEREDOC = re.compile(
    r"^cat\b([^\n]*)<<-?\s*(['\"])([A-Za-z_]\w*)\2([^\n]*)\n(.*?)^\3$", re.MULTILINE | re.DOTALL
)
_EXECUTING = frozenset({"stdio", "pytest", "junit", "gotest", "script"})


@dataclass(frozen=True, slots=True)
class HarborTask:
    """A task folder that was read.

    Attributes:
        environment: What it says, ready to run.
        reference_solution: An answer that scores 1.0, where one can be read from `solution/`.
    """

    environment: Environment
    reference_solution: Path | None


def is_harbor_task(path: Path) -> bool:
    """Whether a folder is meant as a task folder."""
    if os.path.isfile(path / "task.toml"):
        return True
    tests = any(os.path.isfile(path / "tests" / name) for name in ("verifier.toml", "test.sh"))
    return os.path.isfile(path / "instruction.md") and tests


def exported_environment(path: Path) -> Path:
    """Where a task folder that `deepgym export` wrote has the environment itself, as a packed set of one record."""
    return path / "tests" / "environment.envs.zip"


def script_verifier() -> str:
    """The verifier of a task whose tests are a script."""
    return (Path(__file__).parent / "_judge" / "harbor_script.py").read_text("utf-8")


def read_harbor_task(path: Path, *, name: str) -> HarborTask:
    """The environment in a task folder.

    Args:
        path: The folder.
        name: What the environment is called.

    Raises:
        EnvironmentFileError: A file is missing, cannot be read or is malformed, or the task needs what a box does not
            have.
    """
    settings = _read_settings(path)
    instruction = _read(path / "instruction.md", "write the prompt into it").decode("utf-8", "replace")
    files = _read_tests(path)
    verifier = _table(settings, "verifier")
    timeout = _seconds(verifier.get("timeout_sec"), path)
    task_env = {key: value for key, value in _table(verifier, "env").items() if _is_literal(value)}
    fields: dict[str, Any] = {
        "task": instruction,
        "name": name,
        "timeout": min(timeout + _SPARE_S, MAX_TIMEOUT_S),
        "case_timeout": timeout,
        **_known_settings(settings),
    }
    metadata = {key: value for key, value in _known_metadata(settings).items() if value}
    spec = files.pop("verifier.toml", None)
    if spec is not None:
        answer = spec_answer(spec, lambda: _told_answer(settings, instruction) or "/app/solution.py")
        fields |= {
            "verifier_path": str(path / "tests" / "verifier.toml"),
            "support_files": files,
            "env_vars": task_env,
        }
        if PurePosixPath(answer).parent == PurePosixPath("/app"):
            metadata["answer_file"] = PurePosixPath(answer).name
    else:
        answer = _told_answer(settings, instruction) or DEFAULT_ANSWER
        fields |= _script_fields(path, files, answer, timeout, task_env)
    metadata["answer_path"] = answer
    try:
        environment = Environment(**fields, metadata=metadata)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or None
        raise _error(path, first["msg"], "correct it", field=field) from None
    return HarborTask(environment, _reference(path, answer))


def _script_fields(
    path: Path, files: Mapping[str, bytes], answer: str, timeout: float, task_env: Mapping[str, str]
) -> dict[str, Any]:
    if "test.sh" not in files:
        remedy = "add tests/verifier.toml or tests/test.sh"
        raise EnvironmentFileError("is missing", file=str(path / "tests" / "test.sh"), remedy=remedy)
    settings = {"answer_path": answer.lstrip("/"), "timeout_s": timeout, "env": dict(task_env)}
    support: dict[str, str | bytes] = {f"tests/{name}": content for name, content in files.items()}
    support["settings.json"] = json.dumps(settings, indent=1, sort_keys=True) + "\n"
    return {
        "verifier_code": script_verifier(),
        "verifier_mode": "verify_function",
        "support_files": support,
    }


def _read_settings(path: Path) -> dict[str, Any]:
    file = path / "task.toml"
    if not file.exists():
        return {}
    try:
        settings = tomllib.loads(_read(file, "make it a TOML file").decode("utf-8"))
    except ValueError as error:
        if isinstance(error, EnvironmentFileError):
            raise
        raise _error(path, f"is not TOML ({error})", "correct it") from None
    if settings.get("steps") or (path / "steps").is_dir():
        raise _error(
            path, "has several steps", "make a task of each step, for an answer here is one text", "steps"
        )
    if _table(_table(settings, "verifier"), "environment"):
        problem = "asks for a container image of its own for the tests"
        raise _error(path, problem, "run it where containers are built", "verifier.environment")
    return settings


def _known_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What of the settings has a field of its own."""
    box, about = _table(settings, "environment"), _table(settings, "metadata")
    known: dict[str, Any] = {}
    if isinstance(about.get("difficulty"), str):
        known["difficulty"] = about["difficulty"]
    tags = [tag for tag in (*_list(about, "tags"), *_list(_table(settings, "task"), "keywords")) if tag]
    known["tags"] = tuple(dict.fromkeys(tags))
    if isinstance(box.get("docker_image"), str):
        known["image"] = box["docker_image"]
    memory = box.get("memory_mb")
    if isinstance(memory, int) and not isinstance(memory, bool) and memory >= 1:
        known["memory_mb"] = memory
    return known


def _known_metadata(settings: Mapping[str, Any]) -> dict[str, Any]:
    about = _table(settings, "metadata")
    task = _table(settings, "task")
    given = {"source": task.get("name"), "domain": about.get("category")}
    return {"type": "harbor", **{key: value for key, value in given.items() if isinstance(value, str)}}


def _read_tests(path: Path) -> dict[str, bytes]:
    """Every file below tests/, by its path there."""
    root = path / "tests"
    found: dict[str, bytes] = {}
    size = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in {"__pycache__", ".git"})
        for name in sorted(names):
            file = Path(folder, name)
            inside = file.relative_to(root).as_posix()
            # Symbolic links are followed before the check, so that none leads out.
            real = os.path.realpath(file)
            if os.path.commonpath([real, os.path.realpath(path)]) != os.path.realpath(path):
                problem = "leads out of the task's folder"
                raise EnvironmentFileError(problem, file=str(file), remedy="copy the file into tests/")
            found[inside] = _read(Path(real), "make it a readable file")
            size += len(found[inside])
            if size > MAX_TESTS_BYTES:
                problem = f"holds more than {MAX_TESTS_BYTES} bytes"
                raise EnvironmentFileError(
                    problem, file=str(root), remedy="make the data in the tests themselves"
                )
    return found


def spec_answer(spec: str | bytes, otherwise: Callable[[], str]) -> str:
    """The path at which a spec's grader looks for the answer; `otherwise` says it for modes that run the answer."""
    try:
        table = tomllib.loads(spec if isinstance(spec, str) else spec.decode("utf-8"))
    except ValueError:
        return DEFAULT_ANSWER  # the grader says what is wrong with it
    if isinstance(table.get("output"), str):
        return str(table["output"])
    return otherwise() if table.get("mode") in _EXECUTING else DEFAULT_ANSWER


def _told_answer(settings: Mapping[str, Any], instruction: str) -> str | None:
    """The file below /app that the settings name, or that the instruction tells to write."""
    named = _table(settings, "metadata").get("answer_file")
    if isinstance(named, str) and named:
        path = named if named.startswith("/") else f"/app/{named}"
        return path if _is_answer_path(path) else None
    paths = [match for match in _PATH.finditer(instruction) if _is_answer_path(match[0])]
    # What is to be written is named after the word for it; a path alone may be an input.
    for match in paths:
        sentence = re.split(r"[.!?]\s|\n\n", instruction[: match.start()])[-1]
        if _WRITE.search(sentence):
            return match[0]
    return paths[0][0] if len({match[0] for match in paths}) == 1 else None


def _is_answer_path(path: str) -> bool:
    return path.startswith("/app/") and ".." not in PurePosixPath(path).parts and "\0" not in path


def _reference(path: Path, answer: str) -> Path | None:
    """A right answer: the file of the answer's name in solution/, or what solve.sh writes there word by word."""
    folder, name = path / "solution", PurePosixPath(answer).name
    if (folder / name).is_file() and name != "solve.sh":
        return folder / name
    script = folder / "solve.sh"
    if not script.is_file():
        return None
    text = _read(script, "make it a readable file").decode("utf-8", "replace")
    content = _written_by(text, answer)
    return None if content is None else PackedFile.of(folder / name, content.encode())


def _written_by(script: str, answer: str) -> str | None:
    """What a shell script puts into a file, where that stands in it literally: a quoted here-document, or an echo."""
    targets = {answer, PurePosixPath(answer).name, answer.removeprefix("/app/")}
    for match in _HEREDOC.finditer(script):
        try:
            words = shlex.split(match[1] + " " + match[4])
        except ValueError:
            continue
        if len(words) == 2 and words[0] == ">" and words[1] in targets:
            return match[5]
        if len(words) == 1 and words[0].startswith(">") and words[0][1:] in targets:
            return match[5]
    for line in script.splitlines():
        try:
            words = shlex.split(line)
        except ValueError:
            continue
        is_plain = not set("$`\\;|&") & set(line)
        if len(words) == 4 and words[0] == "echo" and words[2] == ">" and words[3] in targets and is_plain:
            return words[1] + "\n"
    return None


def _table(settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = settings.get(name)
    return value if isinstance(value, dict) else {}


def _list(settings: Mapping[str, Any], name: str) -> list[str]:
    value = settings.get(name)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _is_literal(value: object) -> bool:
    """Whether a variable's value stands there itself, and does not ask for one of the machine's."""
    return isinstance(value, str) and "${" not in value


def _seconds(value: object, path: Path) -> float:
    if value is None:
        return DEFAULT_TIMEOUT_S
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MAX_TIMEOUT_S:
        problem = f"{value!r} is no number of seconds"
        raise _error(path, problem, f"use a number up to {MAX_TIMEOUT_S:g}", "verifier.timeout_sec")
    return min(float(value), MAX_TIMEOUT_S - _SPARE_S)


def _read(path: Path, remedy: str) -> bytes:
    try:
        # Seen before it is opened: opening a FIFO would wait for a writer.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise EnvironmentFileError("is not a regular file", file=str(path), remedy=remedy)
        return path.read_bytes()
    except FileNotFoundError:
        raise EnvironmentFileError("is missing", file=str(path), remedy=remedy) from None
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise EnvironmentFileError(problem, file=str(path), remedy=remedy) from None


def _error(path: Path, problem: str, remedy: str, field: str | None = None) -> EnvironmentFileError:
    return EnvironmentFileError(problem, file=str(path / "task.toml"), field=field, remedy=remedy)

"""An environment as a task folder in Harbor's layout, which `deepgym run` and Harbor itself can both run.

A spec becomes `tests/verifier.toml` with its files; a task folder that was imported gets its own tests back. Any other
verifier travels whole, as a packed set of one record. Our own packages travel too, as files beside the Dockerfile: an
image never installs them by a bare name, which an index may give to anybody.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import tomli_w

from deepgym.errors import UsageError
from deepgym.folders import EnvironmentFolder
from deepgym.harbor import exported_environment, script_verifier, spec_answer
from deepgym.models import Environment
from deepgym.packing import SetWriter, pack_folder, record_name
from deepgym.shapes import resolve_environment_shape
from deepgym_solution._isolation.view import OWN_PACKAGES, package_folder

__all__ = ["export_harbor"]

BASE_IMAGE = "python:3.11-slim"
AGENT_TIMEOUT_S = 1800.0

# What our packages import, as pyproject.toml says.
_NEEDED = ("pydantic>=2.7", "click>=8.1", "rich>=13.7", "tomli-w>=1.0")

_SPEC_SCRIPT = """\
#!/bin/bash
mkdir -p /logs/verifier
exec python3 -m verifyit /tests/verifier.toml --workspace /app --logs-dir /logs/verifier
"""
_RUN_SCRIPT = """\
#!/bin/bash
# A run without a verdict leaves no reward, so that it counts as a failed trial and not as a wrong answer.
mkdir -p /logs/verifier
python3 -m deepgym run {environment} {answer} --raw --json > /logs/verifier/result.json
python3 - <<'EOF'
import json
with open("/logs/verifier/result.json") as file:
    result = json.load(file)
if result["has_verdict"]:
    with open("/logs/verifier/reward.txt", "w") as file:
        file.write(str(result["score"]))
EOF
"""


@dataclass(frozen=True, slots=True)
class _Task:
    """What a folder will hold: its tests by path, the answer's own path, and whether the image needs our packages."""

    files: dict[str, str | bytes]
    answer: str
    needs_us: bool


def export_harbor(
    source: EnvironmentFolder, dest: str | os.PathLike[str], *, requirement: str | None = None
) -> Path:
    """Write an environment as a task folder.

    Args:
        source: The environment with its known answers.
        dest: The folder to write; it may not be there.
        requirement: What the image installs with pip in place of the packages that are copied beside its Dockerfile.

    Raises:
        UsageError: The folder is there, cannot be written, or the verifier cannot be read.
    """
    path = Path(os.path.abspath(os.path.expanduser(dest)))
    if path.exists():
        raise UsageError(f"{path} is there already: name a new folder")
    env = source.environment
    task = _task_of(env, source)
    files: dict[str, str | bytes] = {
        "task.toml": tomli_w.dumps(_settings(env, task.answer)),
        "instruction.md": _instruction(env.task, task.answer),
        "environment/Dockerfile": _dockerfile(env, requirement, needs_us=task.needs_us),
        **(_own_packages() if task.needs_us and requirement is None else {}),
        **task.files,
        **_solution(source, task.answer),
    }
    try:
        for name, content in files.items():
            target = path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(
                content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
            )
            if name.endswith(".sh"):
                target.chmod(0o755)
        if not task.files:
            _pack(path, source, task.answer)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    return path


def _task_of(env: Environment, source: EnvironmentFolder) -> _Task:
    if resolve_environment_shape(env) == "spec":
        text = env.read_verifier()
        spec = text if isinstance(text, str) else text.decode("utf-8")
        files: dict[str, str | bytes] = {
            f"tests/{name}": content for name, content in env.support_files.items()
        }
        files["tests/verifier.toml"] = spec
        files.setdefault("tests/test.sh", _SPEC_SCRIPT)
        return _Task(files, _spec_answer(env, spec), True)
    if env.verifier_code == script_verifier():
        own = {name: content for name, content in env.support_files.items() if name.startswith("tests/")}
        return _Task(own, str(env.metadata.get("answer_path", "/app/answer.txt")), False)
    suffix = Path(source.reference_solution.name).suffix if source.reference_solution else ".py"
    return _Task({}, f"/app/answer{suffix or '.txt'}", True)


def _pack(path: Path, source: EnvironmentFolder, answer: str) -> None:
    """Put the environment itself among the tests, and the script that runs it."""
    env = source.environment
    packed = exported_environment(path)
    with SetWriter(packed, source={"format": "harbor"}) as writer:
        name = writer.add(PurePosixPath(env.name).name or "environment", pack_folder(source))
    script = path / "tests" / "test.sh"
    run = f"/tests/{packed.name}/{name}"
    script.write_text(_RUN_SCRIPT.format(environment=shlex.quote(run), answer=shlex.quote(answer)))
    script.chmod(0o755)


def _spec_answer(env: Environment, spec: str) -> str:
    """Where the grader looks for the answer; where an executing spec does not say it, the environment does."""
    name = env.metadata.get("answer_file", "solution.py")
    return spec_answer(spec, lambda: str(env.metadata.get("answer_path") or f"/app/{name}"))


def _settings(env: Environment, answer: str) -> dict[str, Any]:
    about: dict[str, Any] = {
        "difficulty": env.difficulty,
        "category": env.metadata.get("domain"),
        "tags": list(env.tags),
        "answer_file": answer,
    }
    box: dict[str, Any] = {"docker_image": env.image, "memory_mb": max(env.memory_mb, 1024)}
    return {
        "schema_version": "1.3",
        "task": {"name": f"deepgym/{record_name(env.name or 'task')}"},
        "metadata": _without_none(about),
        "verifier": {"timeout_sec": env.timeout},
        "agent": {"timeout_sec": AGENT_TIMEOUT_S},
        "environment": _without_none(box),
    }


def _without_none(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if value not in (None, [], "")}


def _instruction(task: str, answer: str) -> str:
    return task if answer in task else f"{task.rstrip()}\n\nWrite your answer to the file `{answer}`.\n"


def _dockerfile(env: Environment, requirement: str | None, *, needs_us: bool) -> str:
    lines = [f"FROM {env.image or BASE_IMAGE}"]
    if needs_us:
        lines.append("RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap")
    if needs_us and requirement is not None:
        lines.append(f"RUN pip install --no-cache-dir {shlex.quote(requirement)}")
    elif needs_us:
        needed = " ".join(shlex.quote(name) for name in _NEEDED)
        lines += [
            f"RUN pip install --no-cache-dir {needed}",
            "COPY packages /opt/deepgym",
            "ENV PYTHONPATH=/opt/deepgym",
        ]
    return "\n".join([*lines, "WORKDIR /app"]) + "\n"


def _own_packages() -> dict[str, str | bytes]:
    """The files of our packages, as they go beside the Dockerfile."""
    root = Path(package_folder())
    return {
        f"environment/packages/{path.relative_to(root)}": path.read_bytes()
        for name in OWN_PACKAGES
        for path in sorted((root / name).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts and "_environments" not in path.parts
    }


def _solution(source: EnvironmentFolder, answer: str) -> dict[str, str | bytes]:
    """The reference as a file of the answer's name, and the script that puts it into place."""
    if source.reference_solution is None:
        return {}
    name = PurePosixPath(answer).name
    folder = shlex.quote(str(PurePosixPath(answer).parent))
    script = f"#!/bin/bash\nmkdir -p {folder}\ncp /solution/{shlex.quote(name)} {shlex.quote(answer)}\n"
    return {f"solution/{name}": source.reference_solution.read_bytes(), "solution/solve.sh": script}

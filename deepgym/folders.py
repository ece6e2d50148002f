"""One environment's folder: `task.md`, `verifier.py` or `verifier.toml`, `metadata.json`, and what lies
beside them.

    task.md                     the prompt
    verifier.py | .toml         the verifier
    metadata.json               settings; see `deepgym.metadata`
    cases.json                  becomes the environment's `test_cases`
    variants.py                 a seeded case generator, put beside the verifier
    reference_solution.*        an answer that scores 1.0
    solutions/right/*           other answers that must pass
    solutions/wrong/*           answers that must not

A task folder in Harbor's layout is one as well; see `deepgym.harbor`. Reading a folder runs nothing in it.
"""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from deepgym.errors import EnvironmentFileError
from deepgym.harbor import exported_environment, is_harbor_task, read_harbor_task
from deepgym.metadata import Metadata, load_metadata
from deepgym.models import Environment

__all__ = ["EnvironmentFolder", "is_environment_folder", "read_folder"]

VERIFIERS = ("verifier.py", "verifier.toml")
# A verifier's data may be large; a whole data set belongs elsewhere.
MAX_SUPPORT_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class EnvironmentFolder:
    """A folder that was read.

    Attributes:
        path: The folder.
        environment: What it says, ready to run.
        reference_solution: The answer that scores 1.0, if there is one.
        right: Other answers that must pass.
        wrong: Answers that must not pass.
    """

    path: Path
    environment: Environment
    reference_solution: Path | None
    right: tuple[Path, ...]
    wrong: tuple[Path, ...]


def is_environment_folder(path: Path) -> bool:
    """Whether a folder is meant as an environment: it has a task, settings or a verifier, in one of two layouts."""
    return _has_own_layout(path) or is_harbor_task(path)


def _has_own_layout(path: Path) -> bool:
    # os.path, for it answers False where pathlib raises: a name too long, a NUL.
    names = ("task.md", "metadata.json", *VERIFIERS)
    return os.path.isdir(path) and any(os.path.isfile(path / name) for name in names)


def read_folder(path: Path, *, root: Path, name: str | None = None) -> EnvironmentFolder:
    """The environment in a folder.

    Args:
        path: The folder.
        root: The registry it is part of; its support files may not lie outside.
        name: What the registry calls it; the folder's name unless given.

    Raises:
        EnvironmentFileError: A file is missing, cannot be read or is malformed.
    """
    folder = Path(os.path.abspath(path))
    if not _has_own_layout(folder) and is_harbor_task(folder):
        return _read_harbor_folder(folder, name or folder.name)
    settings = folder / "metadata.json"
    metadata = load_metadata(settings) if settings.exists() else Metadata()
    if metadata.name not in {None, folder.name}:
        problem = f"{metadata.name!r} is not the folder's name"
        remedy = f"write {folder.name!r}, or leave it out"
        raise EnvironmentFileError(problem, file=str(settings), field="name", remedy=remedy)
    environment = _build(folder, metadata, root, name or folder.name)
    references = sorted(
        folder.glob("reference_solution*"), key=lambda file: (file.suffix != ".py", file.name)
    )
    return EnvironmentFolder(
        path=folder,
        environment=environment,
        reference_solution=next((file for file in references if file.is_file()), None),
        right=_files_in(folder / "solutions" / "right"),
        wrong=_files_in(folder / "solutions" / "wrong"),
    )


def _read_harbor_folder(folder: Path, name: str) -> EnvironmentFolder:
    exported = exported_environment(folder)
    if exported.is_file():
        from deepgym.packed import open_set  # noqa: PLC0415 -- it knows what a folder is, and comes after this

        packed = open_set(exported)
        return replace(packed.load(next(iter(packed.summaries), ""), shown_as=name), path=folder)
    task = read_harbor_task(folder, name=name)
    return EnvironmentFolder(folder, task.environment, task.reference_solution, (), ())


def _build(folder: Path, metadata: Metadata, root: Path, name: str) -> Environment:
    task = _read_text(folder / "task.md", "write the prompt into it")
    limits = metadata.limits.model_dump(exclude_none=True)
    extra: dict[str, object] = {
        "type": metadata.type,
        "domain": metadata.domain,
        "license": metadata.license,
        "source": metadata.source,
        # Said where it was set: an environment that says nothing has none in its metadata.
        "max_floor": metadata.max_floor if "max_floor" in metadata.model_fields_set else None,
        "accepts": list(metadata.accepts) or None,
    }
    try:
        return Environment(
            task=task,
            verifier_path=str(_find_verifier(folder)),
            verifier_mode=metadata.verifier_mode,
            support_files=_read_support_files(folder, metadata, root),
            test_cases=_read_cases(folder / "cases.json"),
            timeout=metadata.timeout,
            case_timeout=metadata.case_timeout,
            pass_threshold=metadata.pass_threshold,
            env_vars=metadata.env_vars,
            seed=metadata.seed,
            min_isolation=metadata.min_isolation,
            image=metadata.image,
            deterministic=metadata.deterministic,
            name=name,
            difficulty=metadata.difficulty,
            tags=tuple(metadata.tags),
            metadata={key: value for key, value in extra.items() if value is not None},
            **limits,
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or None
        settings = str(folder / "metadata.json")
        raise EnvironmentFileError(first["msg"], file=settings, field=field, remedy="correct it") from None


def _find_verifier(folder: Path) -> Path:
    found = [folder / name for name in VERIFIERS if (folder / name).is_file()]
    if len(found) == 1:
        return found[0]
    if found:
        raise EnvironmentFileError(
            "stands beside verifier.toml", file=str(found[0]), remedy="keep one of the two verifiers"
        )
    remedy = "write verify(solution_path, test_cases_path=None) into it, or a spec into verifier.toml"
    raise EnvironmentFileError("is missing", file=str(folder / "verifier.py"), remedy=remedy)


def _read_support_files(folder: Path, metadata: Metadata, root: Path) -> dict[str, str | bytes]:
    names = list(metadata.support_files)
    if (folder / "variants.py").is_file() and "variants.py" not in names:
        names.append("variants.py")
    files: dict[str, str | bytes] = {}
    for name in names:
        content = _read_support_file(folder, name, root)
        inside = ".." not in Path(name).parts
        arrives_as = os.path.normpath(name) if inside else Path(name).name
        if arrives_as in files or arrives_as in VERIFIERS:
            problem = f"{name!r} would arrive as {arrives_as!r}, which is taken"
            raise _support_error(folder, problem, "rename one of the two files")
        try:
            files[arrives_as] = content.decode("utf-8")
        except UnicodeDecodeError:
            files[arrives_as] = content
    return files


def _read_support_file(folder: Path, name: str, root: Path) -> bytes:
    if not name or os.path.isabs(name) or "\0" in name or "\\" in name:
        raise _support_error(
            folder, f"{name!r} is not a relative path", "write it relative to the folder, with /"
        )
    real, real_root = os.path.realpath(folder / name), os.path.realpath(root)
    # Symbolic links are followed before the check, so that none leads out.
    if os.path.commonpath([real, real_root]) != real_root:
        remedy = f"copy the file to a folder under {real_root}"
        raise _support_error(folder, f"{name!r} leaves the registry", remedy)
    try:
        status = os.stat(real)
        # Seen before it is opened: opening a FIFO would wait for a writer.
        if not stat.S_ISREG(status.st_mode):
            raise _support_error(folder, f"{name!r} is not a regular file", "name a file")
        if status.st_size > MAX_SUPPORT_BYTES:
            raise _support_error(
                folder, f"{name!r} has {status.st_size} bytes", f"stay below {MAX_SUPPORT_BYTES}"
            )
        with open(real, "rb") as file:
            return file.read()
    except OSError as error:
        problem = f"{name!r} cannot be read ({error.strerror})"
        raise _support_error(folder, problem, "add the file, or take it off the list") from None


def _support_error(folder: Path, problem: str, remedy: str) -> EnvironmentFileError:
    file = str(folder / "metadata.json")
    return EnvironmentFileError(problem, file=file, field="support_files", remedy=remedy)


def _read_cases(path: Path) -> list[object] | dict[str, object] | None:
    if not path.exists():
        return None
    try:
        cases = json.loads(_read_text(path, "write a JSON list of cases into it"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, EnvironmentFileError):
            raise
        problem = f"is not JSON ({error})"
        raise EnvironmentFileError(problem, file=str(path), remedy="write a JSON list of cases") from None
    if not isinstance(cases, list | dict) or not cases:
        # No cases would make every answer right.
        raise EnvironmentFileError("holds no cases", file=str(path), remedy="write a JSON list of cases")
    return cases


def _read_text(path: Path, remedy: str) -> str:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise EnvironmentFileError("is missing", file=str(path), remedy=remedy) from None
    except OSError as error:
        raise EnvironmentFileError(
            f"cannot be read ({error.strerror})", file=str(path), remedy=remedy
        ) from None
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 text (byte {error.start})"
        raise EnvironmentFileError(problem, file=str(path), remedy="save it as UTF-8") from None
    if not text.strip():
        raise EnvironmentFileError("is empty", file=str(path), remedy=remedy)
    return text


def _files_in(folder: Path) -> tuple[Path, ...]:
    if not folder.is_dir():
        return ()
    return tuple(
        sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    )

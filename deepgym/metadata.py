"""`metadata.json`: the settings of an environment's folder, as a model with a published JSON schema."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deepgym.errors import EnvironmentFileError
from deepgym.models import Isolation, Megabytes, Seconds, VerifierMode

__all__ = ["Limits", "Metadata", "load_metadata", "metadata_schema"]

SCHEMA_ID = "https://json-schema.org/draft/2020-12/schema"
Slug = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]

# What `deepgym qa` otherwise reports as a right value in a wrong form.
AcceptedForm = Literal["int_like_floats", "bools_for_ints", "tuples_for_lists", "other_types", "extra_output"]


class Limits(BaseModel):
    """What a solution may use; a limit that is left out has its default."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    memory_mb: Megabytes | None = Field(default=None, description="memory of the solution, in MB")
    processes: Annotated[int, Field(ge=1)] | None = Field(default=None, description="processes and threads")
    open_files: Annotated[int, Field(ge=16)] | None = Field(default=None, description="descriptors a process")
    file_size_mb: Megabytes | None = Field(default=None, description="the largest file, in MB")
    tmp_mb: Megabytes | None = Field(default=None, description="all of the private /tmp, in MB")
    output_mb: Megabytes | None = Field(default=None, description="printed output, in MB")
    cpu_time_s: Seconds | None = Field(default=None, description="processor time, in seconds")


class Metadata(BaseModel):
    """The settings in an environment's `metadata.json`; all of them are optional."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, populate_by_name=True)

    schema_ref: str | None = Field(
        default=None, alias="$schema", description="where an editor finds this schema"
    )
    name: Slug | None = Field(default=None, description="the folder's own name")
    type: Slug | None = Field(
        default=None, description="the kind of task: function, class, script, stdio, repo-patch ..."
    )
    difficulty: Slug | None = Field(default=None, description="a word such as easy, medium or hard")
    domain: str | None = Field(default=None, description="the subject, such as strings or graphs")
    tags: list[str] = Field(default_factory=list, description="words to select by")
    verifier_mode: VerifierMode = Field(default="auto", description="the verifier's shape")
    timeout: Seconds = Field(default=30.0, description="seconds for a whole run")
    case_timeout: Seconds = Field(default=10.0, description="seconds for one call into the solution")
    pass_threshold: Annotated[float, Field(gt=0, le=1)] = Field(
        default=1.0, description="the score from which a verdict without `passed` has passed"
    )
    support_files: list[str] = Field(
        default_factory=list,
        description="files for the verifier, relative to the folder; `../_shared/x.py` arrives as `x.py`",
    )
    limits: Limits = Field(default_factory=Limits, description="what a solution may use")
    env_vars: dict[str, str] = Field(
        default_factory=dict, description="environment variables of the verifier"
    )
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = Field(
        default=None, description="a fixed seed; none: one a run"
    )
    image: str | None = Field(default=None, description="the container image for backends that have one")
    min_isolation: Isolation | None = Field(
        default=None, description="run under at least this wall, or not at all"
    )
    deterministic: bool = Field(default=True, description="whether equal answers always get equal verdicts")
    max_floor: Annotated[float, Field(ge=0, lt=1)] = Field(
        default=0.1, description="the most that an answer without thought may earn; `deepgym qa` holds it"
    )
    accepts: list[AcceptedForm] = Field(
        default_factory=list, description="forms of a right value that the task allows beside the exact one"
    )
    license: str | None = Field(default=None, description="the licence, as an SPDX expression")
    source: str | None = Field(default=None, description="where the task comes from")


def load_metadata(path: Path) -> Metadata:
    """The settings in a `metadata.json`.

    Raises:
        EnvironmentFileError: The file cannot be read, is not a JSON object, or has a wrong field; the error
        names
            file, field and remedy.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        problem = f"cannot be read ({error.strerror})"
        raise EnvironmentFileError(problem, file=str(path), remedy="make it a readable file") from None
    except (ValueError, RecursionError) as error:
        remedy = "write one JSON object, such as {}"
        raise EnvironmentFileError(f"is not JSON ({error})", file=str(path), remedy=remedy) from None
    try:
        return Metadata.model_validate(data)
    except ValidationError as error:
        problem, field, remedy = _explain(error.errors(include_url=False)[0])
        raise EnvironmentFileError(problem, file=str(path), field=field, remedy=remedy) from None


def metadata_schema() -> dict[str, Any]:
    """The JSON schema of `metadata.json`."""
    return {"$schema": SCHEMA_ID, **Metadata.model_json_schema(by_alias=True)}


def _explain(error: Any) -> tuple[str, str | None, str]:
    """Problem, field and remedy of the first thing that pydantic found."""
    location = [str(part) for part in error["loc"]]
    field = ".".join(location) or None
    inside_limits = len(location) > 1 and location[0] == "limits"
    model: type[BaseModel] = Limits if inside_limits else Metadata
    if error["type"] == "extra_forbidden":
        names = ", ".join(known.alias or name for name, known in model.model_fields.items())
        return "is not a known field", field, f"the valid fields are {names}"
    if not location:
        return f"is no JSON object ({error['msg']})", None, "write one JSON object, such as {}"
    problem = f"{error['msg'][:1].lower()}{error['msg'][1:]}, not {error['input']!r:.80}"
    known = model.model_fields.get(location[1] if inside_limits else location[0])
    meaning = known.description if known and known.description else "a setting"
    return problem, field, f"it is {meaning}"

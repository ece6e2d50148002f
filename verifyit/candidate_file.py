"""``python -m verifyit.candidate_file``: the in-process grader of a spec, applied to an answer file.

The whole text of the answer is the candidate. Whatever goes wrong is a verdict: nothing that a task
or a candidate contains ends the command without one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from verifyit._answer import read_answer_file
from verifyit._verdict_files import clear_reward, write_reward
from verifyit.candidate import check_task, grade_candidate, supports_in_process
from verifyit.file_ops.read import read_text
from verifyit.grade import mode_module
from verifyit.reward import InvalidTask, Reward, infra_error, invalid_task, validated
from verifyit.spec import PredictedActionSpec, Spec, mode_of, parse_spec


def main(argv: list[str] | None = None) -> int:
    """Grade, write the verdict's files, and exit 0 whatever the verdict.

    Raises:
        OSError: The verdict's files cannot be written.
    """
    import argparse  # noqa: PLC0415 - only the command needs it

    parser = argparse.ArgumentParser(
        prog="python -m verifyit.candidate_file", description="Grade the text of an answer file by a spec."
    )
    parser.add_argument("--spec", type=Path, required=True, metavar="FILE")
    parser.add_argument("--answer", required=True, metavar="PATH")
    parser.add_argument("--workspace", type=Path, required=True, metavar="DIR")
    parser.add_argument("--logs-dir", type=Path, required=True, metavar="DIR")
    parser.add_argument("--resources-manifest", type=Path, required=True, metavar="FILE")
    options = parser.parse_args(argv)
    # Now, so that a grader killed half-way leaves no earlier verdict behind.
    clear_reward(options.logs_dir)
    verdict = _verdict(options)
    write_reward(options.logs_dir, verdict)
    sys.stderr.write(f"reward={verdict.reward} status={verdict.status}\n")
    return 0


def _verdict(options: Any) -> Reward:
    try:
        return validated(_grade(options))
    except InvalidTask as error:
        return invalid_task(str(error))
    except Exception as error:  # noqa: BLE001 - the boundary: a grader's crash is a verdict too
        return infra_error(f"{type(error).__name__}: {error}")


def _grade(options: Any) -> Reward:
    spec = _read_spec(options.spec)
    resources = _read_resources(options.resources_manifest)
    check_task(spec, resources)
    answer = read_answer_file(options.answer, options.workspace)
    if isinstance(answer, Reward):
        return answer
    if isinstance(spec, PredictedActionSpec):
        verdict: Reward = mode_module(mode_of(spec)).grade_predicted_action_text(spec, answer)
        return verdict
    return grade_candidate(spec, answer, resources)


def _read_spec(path: Path) -> Spec:
    try:
        spec = parse_spec(read_text(path))
    except (OSError, ValueError) as error:
        raise InvalidTask(f"cannot read verifier spec {path}: {error}") from None
    mode = mode_of(spec)
    if not supports_in_process(mode):
        raise InvalidTask(f"{mode.value!r} has no in-process grader")
    return spec


def _read_resources(manifest: Path) -> dict[str, bytes]:
    try:
        names = json.loads(read_text(manifest))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidTask(f"cannot read the resources manifest {manifest}: {error}") from None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidTask(f"the resources manifest {manifest} is not a list of file names")
    try:
        return {name: (manifest.parent / name).read_bytes() for name in names}
    except (OSError, ValueError) as error:
        raise InvalidTask(f"cannot read a resource: {error}") from None


if __name__ == "__main__":
    sys.exit(main())

"""The answer file of a spec: where it is, whether it counts as an answer, and what it says.

The answer was written by the candidate, so it is read without following a symlink: an answer linked
to the task's own files would otherwise be graded as the reference.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

from verifyit._shown import shown
from verifyit.file_ops.read import TooLargeError, decode_text, read_beneath, read_regular_bytes
from verifyit.reward import InvalidTask, Reward, scored
from verifyit.spec import DEFAULT_WORKSPACE, EmptyOutputPolicy, Spec

# Far above any answer that a grader of this package is for; the slowest of them (YAML in pure
# Python) stays within seconds below it.
MAX_ANSWER_CHARACTERS = 1_000_000
# A UTF-8 character takes at most four bytes.
MAX_ANSWER_BYTES = 4 * MAX_ANSWER_CHARACTERS


def local_output_path(output: str, workspace: Path) -> Path:
    """The path of an answer: below ``/app`` it moves to the workspace, elsewhere it stays as it is."""
    path = PurePosixPath(output)
    if path.is_relative_to(DEFAULT_WORKSPACE):
        return workspace / path.relative_to(DEFAULT_WORKSPACE)
    return Path(output)


def empty_output_policy(spec: Spec) -> EmptyOutputPolicy:
    """What the spec says a blank answer is; ``zero`` for specs that have no answer file.

    Raises:
        InvalidTask: The spec holds something that is not an EmptyOutputPolicy.
    """
    policy: object = getattr(spec, "empty_output", EmptyOutputPolicy.ZERO)
    if not isinstance(policy, EmptyOutputPolicy):
        raise InvalidTask(f"empty_output must be an EmptyOutputPolicy, not {shown(policy)}")
    return policy


def read_output(spec: Spec, workspace: Path) -> str | None:
    """The answer that the candidate left, or None if there is none.

    No answer is: no regular file there, a file reached through a symlink, a file above
    MAX_ANSWER_BYTES, or, under the policy ``zero``, a file of nothing but whitespace.

    Raises:
        InvalidTask: The spec's empty_output is not an EmptyOutputPolicy.
    """
    answer = read_answer(spec, workspace)
    return answer if isinstance(answer, str) else None


def read_answer(spec: Spec, workspace: Path) -> str | Reward:
    """The answer that the candidate left, or the verdict that it is worth nothing.

    Raises:
        InvalidTask: The spec's empty_output is not an EmptyOutputPolicy.
    """
    policy = empty_output_policy(spec)
    text = read_answer_file(getattr(spec, "output", ""), workspace)
    if isinstance(text, str) and policy is EmptyOutputPolicy.ZERO and not text.strip():
        return scored(0.0, reason="no_output")
    return text


def read_answer_file(output: str, workspace: Path) -> str | Reward:
    """The text of an answer file, or the verdict that there is none to grade."""
    try:
        text = decode_text(_answer_bytes(output, workspace))
    except TooLargeError:
        return _too_large()
    except (OSError, ValueError):
        # ValueError: a path with a null character is no file either.
        return scored(0.0, reason="no_output")
    return size_verdict(text) or text


def size_verdict(text: str) -> Reward | None:
    """The verdict on an answer that is too long to be graded, None for any other."""
    return _too_large() if len(text) > MAX_ANSWER_CHARACTERS else None


def _too_large() -> Reward:
    return scored(0.0, reason="answer_too_large", limit_characters=MAX_ANSWER_CHARACTERS)


def _answer_bytes(output: str, workspace: Path) -> bytes:
    path = local_output_path(output, workspace)
    if not path.is_relative_to(workspace) or path == workspace:
        return read_regular_bytes(path, limit_bytes=MAX_ANSWER_BYTES)
    # The workspace itself is the caller's and may be a symlink; what is in it is the candidate's.
    folder = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return read_beneath(folder, path.relative_to(workspace).parts, limit_bytes=MAX_ANSWER_BYTES)
    finally:
        os.close(folder)

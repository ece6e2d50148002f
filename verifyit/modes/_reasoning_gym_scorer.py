"""The worker's side of mode ``reasoning-gym``: the package is imported here and nowhere else."""

from __future__ import annotations

from typing import Any

from verifyit._extras import import_extra

_gym = import_extra("reasoning_gym", "reasoning-gym")


def score(dataset: str, params: dict[str, Any], entry: dict[str, Any], answer: str | None) -> dict[str, Any]:
    """The dataset's score of an answer, or why the dataset cannot be made.

    Returns:
        ``score`` with the number, or its text if it is none; or ``invalid``.
    """
    try:
        scorer = _gym.create_dataset(dataset, **params)
    except Exception as error:  # noqa: BLE001 - the parameters decide which exception a dataset refuses them with
        return {"invalid": f"{type(error).__name__}: {error}"[:400]}
    output = entry["metadata"].get("output")
    if isinstance(output, list) and output and all(isinstance(row, list) for row in output):
        # JSON has no tuples, which is what the datasets compare with.
        entry["metadata"]["output"] = tuple(map(tuple, output))
    value = scorer.score_answer(answer, entry)
    return {"score": value if type(value) in (int, float) else repr(value)[:100]}

"""What is checked: an environment, a folder of them, a set."""

import os

import pytest

from deepgym.qa.subject import find_targets


def test_a_folder_that_may_not_be_read_does_not_hide_the_environments_beside_it(tmp_path, monkeypatch):
    for name in ("one", "two", "sealed"):
        (tmp_path / name).mkdir()
    for name in ("one", "two"):
        (tmp_path / name / "task.md").write_text("Write f.")
    listdir = os.listdir

    def refusing(path="."):
        if os.path.basename(path) == "sealed":
            raise PermissionError(13, "Permission denied", str(path))
        return listdir(path)

    monkeypatch.setattr(
        os, "listdir", refusing
    )  # root reads everything, so the mode of a folder would not do
    with pytest.raises(PermissionError):
        list((tmp_path / "sealed").iterdir())
    assert [target.name for target in find_targets([str(tmp_path)])] == ["one", "two"]

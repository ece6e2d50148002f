"""What a job is made of, and what is refused before one is."""

import pytest

from deepgym.jobs import JobMaker


@pytest.mark.parametrize("env", ["merge_intervals", None, {"task": "x"}])
def test_only_an_environment_makes_a_job_and_a_name_is_told_how_to_become_one(env):
    with pytest.raises(TypeError, match=r"must be an Environment, not .*load_environment"):
        JobMaker().prepare(env)

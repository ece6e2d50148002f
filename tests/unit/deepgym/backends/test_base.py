import pytest

from deepgym.backends.base import LABEL_OWNER, ORPHAN_GRACE_S, BoxSpec, is_swept
from deepgym.backends.registry import backend_names, load_backend_class
from deepgym.errors import BackendUnavailableError, SandboxInfraError


def test_a_box_is_the_orphan_of_others_only_after_its_life_and_a_grace():
    labels = BoxSpec(owner="me", ttl_s=100, created_at=1000.0).labels
    end = 1100 + ORPHAN_GRACE_S
    assert not is_swept(labels, None, now=1000)
    assert not is_swept(labels, None, now=end)
    assert is_swept(labels, None, now=end + 1)


def test_an_owner_sweeps_its_own_boxes_at_once_and_no_others():
    labels = BoxSpec(owner="me").labels
    assert is_swept(labels, {LABEL_OWNER: "me"}, now=0)
    assert not is_swept(labels, {LABEL_OWNER: "you"}, now=1e12)


@pytest.mark.parametrize(
    "labels",
    [{}, {"deepgym-expires": "1"}, {"deepgym-box": "1"}, {"deepgym-box": "1", "deepgym-expires": "x"}],
)
def test_a_box_that_is_not_ours_is_never_swept(labels):
    assert not is_swept(labels, None, now=1e12)
    assert not is_swept(labels, {LABEL_OWNER: "me"}, now=1e12)


def test_an_unknown_backend_is_refused_with_the_names_there_are():
    with pytest.raises(BackendUnavailableError, match=r"'cloud9'.*local, apple, daytona, docker, e2b, modal"):
        load_backend_class("cloud9")


def test_our_backends_are_listed():
    assert {"docker", "modal", "e2b", "daytona", "apple"} <= set(backend_names())


def test_the_error_says_kind_and_detail():
    error = SandboxInfraError("lost", "the box is gone", retryable=True)
    assert str(error) == "lost: the box is gone"
    assert (error.kind, error.retryable, error.detail) == ("lost", True, "the box is gone")

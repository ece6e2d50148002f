"""The whole corpus, behind the wall and without it, as root and as a user.

Behind the wall every attack must earn nothing, be judged all the same, and leave nothing behind. Without it the same
source must get through, or the entry says why that cannot be shown.
"""

import contextlib
import functools
import json
import os
import re
import secrets
import tempfile
from pathlib import Path

import pytest

from tests.attack import attacks, callers

SECRET = "CANARY-" + secrets.token_hex(16)
THEMES = {theme: attacks.load_theme(theme) for theme in attacks.themes()}
ATTACKS = [attack for entries in THEMES.values() for attack in entries]
CALLERS = ["root", "user"] if os.getuid() == 0 else ["user"]
HERE = Path(__file__).parent
# A theme's attacks run one after the other in one process of the caller's.
THEME_TIMEOUT_S = 900
# What a run may show of a solution that printed without end: its grant and a remark.
TEXT_SLACK_BYTES = 64 * 1024

_undo = contextlib.ExitStack()


@pytest.fixture(scope="module", autouse=True)
def _clean_up():
    with _undo:
        yield
    find_caller.cache_clear()
    outcomes.cache_clear()


@functools.cache
def find_caller(name):
    if name == "root" or os.getuid() != 0:
        return callers.this_user()
    user = callers.UnprivilegedUser()
    _undo.callback(user.close)
    return user.open()


@functools.cache
def run_file():
    """A file of a host service: only root can make one."""
    if os.getuid() != 0:
        return ""
    path = f"/run/dg-attack-{secrets.token_hex(4)}.txt"
    Path(path).write_text(SECRET)
    _undo.callback(os.unlink, path)
    return path


@functools.cache
def outcomes(mode, theme, name):
    caller = find_caller(name)
    if isinstance(caller, str):
        if "user" in os.environ.get("DEEPGYM_TEST_REQUIRE", "").split(","):
            pytest.fail(caller)
        pytest.skip(caller)
    folder = tempfile.mkdtemp(prefix="dg-attack-out-", dir="/var/tmp")
    _undo.callback(_remove, folder)
    os.chown(folder, caller.uid, caller.gid)
    out = os.path.join(folder, "outcomes.json")
    ended = caller.run(
        "-c",
        # The arguments of the calling process hold a secret too.
        "import sys; from tests.attack import run_corpus; sys.exit(run_corpus.main())",
        mode,
        theme,
        out,
        SECRET,
        environment={"DG_ATTACK_SECRET": SECRET, "DG_ATTACK_RUN_FILE": run_file()},
        timeout=THEME_TIMEOUT_S,
    )
    found = json.loads(Path(out).read_text()) if os.path.exists(out) else {}
    return found, f"exit {ended.returncode}: {ended.stderr[-2000:]}"


def _remove(folder):
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    os.rmdir(folder)


def outcome_of(mode, attack, name):
    found, ending = outcomes(mode, attack.theme, name)
    assert attack.id in found, f"the caller's process ended before this attack: {ending}"
    outcome = found[attack.id]
    assert "raised" not in outcome, outcome
    return outcome


def works(attack, outcome):
    """Whether the attack did, to the bare judge, what it is in the corpus for."""
    return {
        "breach": outcome["said"].startswith("BREACH"),
        "ends": not outcome["said"] and outcome["ending"].startswith("exit"),
        "hangs": outcome["ending"] == "hung",
        "forges": outcome["forged"],
        "floods": outcome["stdout_bytes"] > 8 << 20,
        "lingers": outcome["leftovers"] > 0,
    }[attack.control]


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLERS)
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.id)
def test_the_wall_stops(attack, name):
    outcome = outcome_of("wall", attack, name)
    assert outcome["score"] == 0.0, outcome
    assert outcome["passed"] is False
    assert outcome["has_verdict"] is True, outcome
    assert outcome["isolation"] == "sealed"
    assert not outcome["leaked"], outcome
    assert outcome["leftovers"] == 0
    assert outcome["victim_lives"]
    assert outcome["planted_intact"]
    assert outcome["seconds"] < attack.seconds * attack.runs
    grant = attack.environment.get("output_mb", 100) << 20
    # Every byte may be written as an escape of six, on both streams.
    assert outcome["text_bytes"] < grant * 12 + TEXT_SLACK_BYTES


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attack", "name"),
    [
        pytest.param(attack, name, id=f"{attack.id}-{name}")
        for attack in ATTACKS
        for name in CALLERS
        if attack.has_control(0 if name == "root" else 1)
    ],
)
def test_without_the_wall_the_attack_works(attack, name):
    outcome = outcome_of("bare", attack, name)
    assert works(attack, outcome), outcome


def test_ids_are_given_once():
    ids = [attack.id for attack in ATTACKS]
    assert len(ids) == len(set(ids))


def test_the_corpus_is_as_large_as_promised_and_mostly_has_controls():
    with_control = [attack for attack in ATTACKS if attack.has_control(0)]
    assert len(with_control) >= 200
    assert len(ATTACKS) - len(with_control) <= 30


def test_every_attack_says_what_it_is_for():
    for attack in ATTACKS:
        assert len(attack.why) > 5, attack.id
        assert attack.rows, attack.id
        assert all(1 <= row <= 72 for row in attack.rows), attack.id
        assert attack.control in attacks.CONTROLS, attack.id
        assert re.fullmatch(r"[a-z0-9_]+", attack.id)


# Of the 72 known hacks, those that a wall between judge and solution has to stop. The others are a verifier's, a
# grader's or a registry's to stop.
ROWS_OF_THIS_LAYER = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19, 23, 24, 27, 28, 29, 30, 31, 32, 33, 34, 41, 42, 43, 44,
    45, 48, 49, 50, 52, 55, 56, 63, 64, 67, 68, 70, 71, 72,
}  # fmt: skip


def test_every_known_hack_of_this_layer_is_tried():
    tried = {row for attack in ATTACKS for row in attack.rows}
    assert tried >= ROWS_OF_THIS_LAYER, sorted(ROWS_OF_THIS_LAYER - tried)

"""Pre-started boxes: what their keeper concludes from looking at them."""

import os
import subprocess

from deepgym_solution import _spawn


def test_a_box_that_is_still_being_built_is_not_blamed_for_the_machines_files():
    boxes = _spawn.Boxes(lambda *_: None, lambda _: 1, 1)
    with subprocess.Popen(["sleep", "60"]) as process:
        try:
            assert os.statvfs("/tmp").f_files > os.statvfs("/tmp").f_ffree
            assert not boxes.holds_too_many_files(process.pid, 0)
        finally:
            process.kill()

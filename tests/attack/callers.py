"""The users who attack: whoever runs the tests and, when that is root, a user without privileges too."""

import functools
import importlib.util
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
# Of one's own: two test sessions on a machine must not take each other's user away.
USER_NAME = f"dg-attacker-{os.getpid()}"
# What deepgym imports, beside itself and the tests.
_PACKAGES = (
    "pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection", "click", "rich",
    "markdown_it", "mdurl", "pygments", "tomli_w",
)  # fmt: skip
_OWN = ("deepgym", "deepgym_solution", "verifyit", "environments", "tests")


@dataclass(frozen=True)
class Caller:
    """A user, and an interpreter with the packages that this user can read."""

    name: str
    uid: int
    gid: int
    home: str
    python: str
    path: str

    def run(self, *argv, environment, timeout):
        """Run a Python program as the user, as from a login; gives what subprocess.run() gives."""
        base = {"HOME": self.home, "USER": self.name, "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        options = {}
        if os.getuid() == 0 and self.uid != 0:
            options = {"user": self.uid, "group": self.gid, "extra_groups": []}
        return subprocess.run(
            [self.python, *argv],
            env=base | {"PYTHONPATH": self.path, "PYTHONDONTWRITEBYTECODE": "1"} | environment,
            cwd=self.home,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            **options,
        )


@functools.cache
def this_user():
    """Whoever runs the tests."""
    entry = pwd.getpwuid(os.getuid())
    path = str(ROOT)
    return Caller(
        "root" if entry.pw_uid == 0 else "user",
        entry.pw_uid,
        entry.pw_gid,
        entry.pw_dir,
        sys.executable,
        path,
    )


class UnprivilegedUser:
    """A user without privileges, made for the tests. Needs root."""

    def __init__(self):
        self._made = False
        self._folder = ""

    def open(self):
        """Gives the caller, or the reason why there is none."""
        made = subprocess.run(
            ["useradd", "--create-home", USER_NAME], capture_output=True, text=True, check=False
        )
        if made.returncode:
            return f"no user can be made: {made.stderr.strip()}"
        self._made = True
        entry = pwd.getpwnam(USER_NAME)
        # Not under /tmp: a wall gives every process a /tmp of its own, and this must be where installed packages are.
        self._folder = tempfile.mkdtemp(prefix="dg-attack-packages-", dir="/var/tmp")
        os.chmod(self._folder, 0o755)
        self._copy_packages()
        path = self._folder
        for python in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
            caller = Caller("user", entry.pw_uid, entry.pw_gid, entry.pw_dir, python, path)
            try:
                ended = caller.run("-c", "import pydantic", environment={}, timeout=60)
            except OSError:
                continue
            if ended.returncode == 0:
                return caller
        return f"no interpreter of version 3.{sys.version_info.minor} that {USER_NAME} can read"

    def close(self):
        """Take away what open() made."""
        if self._folder:
            shutil.rmtree(self._folder)
        if self._made:
            subprocess.run(["userdel", "--remove", USER_NAME], capture_output=True, check=False)

    def _copy_packages(self):
        sources = [ROOT / name for name in _OWN]
        for name in _PACKAGES:
            spec = importlib.util.find_spec(name)
            sources.append(Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin))
        for source in sources:
            target = os.path.join(self._folder, source.name)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy(source, target)

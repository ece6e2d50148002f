"""What the adapters of the providers' SDKs share: requirements, asking within a deadline, modes of files."""

import importlib.util
import posixpath
import shlex
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from deepgym.backends._deadline import Deadline, bounded
from deepgym.backends.base import File
from deepgym.errors import BackendUnavailableError, SandboxInfraError

T = TypeVar("T")

# An abandoned create is given this much longer, so that its box can be destroyed when it comes.
LATE_CREATE_S = 60.0


def require_package(mode: str, package: str) -> None:
    """See that the SDK of a mode is installed.

    Raises:
        BackendUnavailableError: It is not.
    """
    if importlib.util.find_spec(package) is None:
        raise BackendUnavailableError(
            f'mode="{mode}" needs the package {package}: run `pip install "deepgym[{mode}]"`'
        )


def require_settings(mode: str, settings: Mapping[str, str | None]) -> None:
    """See that the credentials of a mode are there, given or in the environment variables named.

    Raises:
        BackendUnavailableError: Some are missing; it names them all.
    """
    missing = [name for name, value in settings.items() if not value]
    if missing:
        raise BackendUnavailableError(f'mode="{mode}" needs credentials: set {" and ".join(missing)}')


async def ask(
    call: Coroutine[Any, Any, T],
    deadline: Deadline,
    what: str,
    classify: Callable[[Exception, str], SandboxInfraError],
    *,
    late: Callable[[T], Awaitable[object]] | None = None,
) -> T:
    """Await an SDK's call within a deadline; whatever it raises is said in our words.

    Raises:
        SandboxInfraError: It failed, or did not answer in time.
    """
    try:
        return await bounded(call, deadline, what, late=late)
    except SandboxInfraError:
        raise
    except Exception as error:
        raise classify(error, what) from error


def of_status(status: int | None, detail: str) -> SandboxInfraError:
    """What an HTTP status of a provider's API means."""
    if status in {401, 403}:
        # Quotas come as 403 too; the words are the provider's, and the same request will not do either way.
        is_quota = any(word in detail.lower() for word in ("limit", "quota", "exceeded"))
        return SandboxInfraError("quota" if is_quota else "auth", detail, retryable=False)
    if status == 429:
        return SandboxInfraError("quota", detail, retryable=True)
    if status in {408, 504}:
        return SandboxInfraError("timeout", detail, retryable=True)
    if status is not None and status >= 500:
        return SandboxInfraError("unavailable", detail, retryable=status != 507)
    return SandboxInfraError("create_failed" if status else "protocol", detail, retryable=False)


def words_of(error: BaseException) -> str:
    """An error in one bounded line; HTML pages of proxies are cut short."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= 300 else f"{text[:300]}..."


def mode_script(files: Sequence[File]) -> str:
    """A shell script that gives files their modes, and closes their folders to everyone else.

    For providers whose file service has no modes. No untrusted code has run when it does.
    """
    folders = sorted({posixpath.dirname(file.path) for file in files} - {"/", "/tmp"})  # noqa: S108  # kept open
    lines = [f"chmod 0700 {shlex.join(folders)}"] if folders else []
    by_mode = {
        mode: [file.path for file in files if file.mode == mode] for mode in {file.mode for file in files}
    }
    lines += [f"chmod {mode:04o} {shlex.join(paths)}" for mode, paths in sorted(by_mode.items())]
    return " && ".join(lines)


def over_limit(path: str, limit_bytes: int) -> SandboxInfraError:
    """A file in a box is larger than it may be."""
    return SandboxInfraError("protocol", f"{path} has more than {limit_bytes} bytes", retryable=False)


class Capture:
    """Keeps the first bytes of a stream, up to a limit, and says whether there were more."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._kept = bytearray()
        self.truncated = False

    def add(self, data: bytes) -> None:
        """Take the next piece."""
        room = self._limit - len(self._kept)
        self._kept += data[:room]
        self.truncated = self.truncated or len(data) > room

    def value(self) -> bytes:
        """What was kept."""
        return bytes(self._kept)

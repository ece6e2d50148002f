"""The corpus: attacks as data, one file a theme, and what each is judged by.

An attack is a solution that defines `attack()` and tries one thing. A probe says itself how it went: "BREACH: what"
or "blocked: why". Of the others the score is the answer. `control` says what shows, without the wall, that the
attack works: the probe's own word or a full score ("breach"), a judge that ends without a conclusion ("ends"), that
hangs ("hangs"), that printed a forged verdict ("forges"), that printed without bound ("floods"), or a process that is
there after the judge ended ("lingers").
"""

import os
import textwrap
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
CONTROLS = {"breach", "ends", "hangs", "forges", "floods", "lingers"}

_VERIFIERS = {
    "probe": """
        said = solution.attack()
        through = type(said) is str and said.startswith("BREACH")
        return {"score": float(through), "passed": through, "details": repr(said)[:1500]}
    """,
    "compare": """
        cases = [([3, 1, 2], [1, 2, 3]), ([5, 4], [4, 5]), ([9, 9, 1], [1, 9, 9])]
        passed = 0
        for given, expected in cases:
            got = solution.attack(given)
            if got == expected or not got != expected:
                passed += 1
        return {"score": passed / 3, "passed": passed == 3, "details": f"{passed} of 3"}
    """,
    "tolerance": """
        wrong = sum(not abs(solution.attack(n) - n * 1.5) <= 1e-6 for n in (1, 2, 3))
        return {"score": float(wrong == 0), "passed": wrong == 0, "details": f"{wrong} wrong"}
    """,
    "truth": """
        got = [solution.attack(n) for n in (4, 6, 9)]
        right = all(value is True for value in got)
        return {"score": float(right), "passed": right, "details": repr(got)[:500]}
    """,
    "arguments": """
        right = all(solution.attack(given) == sorted(given) for given in ([3, 1, 2], [5, 4]))
        return {"score": float(right), "passed": right, "details": ""}
    """,
}
_CALLING = """
from deepgym_solution import load_solution
import vault


def verify(solution_path, test_cases_path=None):
    key = vault.SECRET
    solution = load_solution(solution_path)
"""
_RUNNING = """
import os
import tempfile
import vault
from deepgym_solution import SolutionError, read_output, run_solution


def verify(solution_path, test_cases_path=None):
    work = tempfile.mkdtemp()
    ended = run_solution(solution_path, cwd=work, timeout=8)
    said = ended.stdout if isinstance(ended.stdout, str) else ended.stdout.decode("utf-8", "replace")
    if "BREACH" in said:
        return {"score": 1.0, "passed": True, "details": said[said.index("BREACH"):][:500]}
    content = read_output("answer.txt", work, limit_bytes=65536)
    content = content.encode() if isinstance(content, str) else content
    through = vault.SECRET.encode() in content or len(content) == 65536
    return {"score": float(through), "passed": through, "details": "read %d bytes" % len(content)}
"""


@dataclass(frozen=True)
class Attack:
    """One entry of a theme."""

    theme: str
    id: str
    rows: tuple[int, ...]
    why: str
    code: str
    judge: str = "probe"
    control: str = "breach"
    # Why there is no control: for nobody, or for a user without capabilities.
    no_control: str = ""
    root_only: str = ""
    runs: int = 1
    # How long a run behind the wall may take, and how long the bare judge is waited for.
    seconds: float = 25
    patience_s: float = 20
    environment: dict = field(default_factory=dict)

    def source(self, values):
        """The solution, with the planted names filled in."""
        text = self.code
        for name, value in values.items():
            text = text.replace(f"@@{name}@@", value)
        return text

    def verifier(self):
        if self.judge == "script":
            return _RUNNING
        return _CALLING + textwrap.indent(textwrap.dedent(_VERIFIERS[self.judge]), "    ")

    def has_control(self, uid):
        return not self.no_control and not (self.root_only and uid != 0)


def load_theme(name):
    """The attacks of a file, its preamble put before each."""
    data = tomllib.loads((CORPUS / f"{name}.toml").read_text(encoding="utf-8"))
    preamble, defaults = data.get("preamble", ""), data.get("defaults", {})
    loaded = []
    for own in data["attack"]:
        entry = defaults | own
        entry |= {
            "environment": defaults.get("environment", {}) | own.get("environment", {}),
            "rows": tuple(own["rows"]),
            "code": preamble + own["code"],
        }
        loaded.append(Attack(theme=name, **entry))
    return loaded


def themes():
    return sorted(path.stem for path in CORPUS.glob("*.toml"))


def support_files(secret):
    """The judge's own files: the answer key in the forms that judges keep it in."""
    return {"vault.py": f"SECRET = {secret!r}\n", "vault.json": f'{{"secret": "{secret}"}}\n'}


def write_support_files(folder, secret):
    for name, content in support_files(secret).items():
        (folder / name).write_text(content)


def planted_files_are_intact(values, secret):
    """Whether the caller's files hold what they held."""
    paths = [
        values[name]
        for name in ("HOME_FILE", "TMP_FILE", "VARTMP_FILE", "SHM_FILE", "RUN_FILE")
        if values[name]
    ]
    intact = True
    for path in paths:
        try:
            with open(path, encoding="utf-8") as stream:
                same = stream.read() == secret
        except OSError:
            same = False
        if not same:
            intact = False
            if os.access(os.path.dirname(path), os.W_OK):
                with open(path, "w", encoding="utf-8") as stream:
                    stream.write(secret)
    return intact

"""Check the documents: every relative link leads somewhere, every Python example runs, every example file runs.

A fenced ```python block runs in an empty folder in a fresh interpreter; the blocks of one page run in order as one. A
block that cannot run here says why on the line before it: <!-- not run: needs an account -->.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
BLOCK = re.compile(r"^(?P<before>[^\n]*)\n```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: .+ -->")
TIMEOUT_S = 180


def pages() -> list[Path]:
    """README and everything below docs/."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def broken_links(page: Path) -> list[str]:
    """Relative links of a page that lead nowhere."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "", text)
    found = []
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:|#", target):
            continue
        if not (page.parent / target.split("#")[0]).exists():
            found.append(f"{page.relative_to(ROOT)}: link to {target} leads nowhere")
    return found


def code_of(page: Path) -> str:
    """The runnable Python of a page, as one program."""
    blocks = BLOCK.finditer("\n" + page.read_text(encoding="utf-8"))
    return "\n\n".join(block["code"] for block in blocks if not NOT_RUN.search(block["before"]))


def failure(name: str, arguments: list[str], folder: str) -> str | None:
    """Why a program failed; None when it ran."""
    command = [sys.executable, "-W", "error::DeprecationWarning", *arguments]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"{name}: did not end within {TIMEOUT_S} s"
    return f"{name}: {done.stderr[-1500:]}" if done.returncode else None


def main() -> int:
    problems = [problem for page in pages() for problem in broken_links(page)]
    programs: list[tuple[str, list[str]]] = []
    with tempfile.TemporaryDirectory() as folder:
        for page in pages():
            code = code_of(page)
            if code.strip():
                script = Path(folder, f"{len(programs)}.py")
                script.write_text(code, encoding="utf-8")
                programs.append((str(page.relative_to(ROOT)), [str(script)]))
        programs += [
            (f"examples/{path.name}", [str(path)]) for path in sorted((ROOT / "examples").glob("*.py"))
        ]
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(lambda program: failure(*program, folder), programs))
    problems += [problem for problem in found if problem]
    print(f"{len(pages())} pages, {len(programs)} programs, {len(problems)} problems")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

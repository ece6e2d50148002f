"""`python -m tests.bench [--quick] [--only runs,calls,imports,grades]`: measure, print, and keep the figures."""

from __future__ import annotations

import argparse
import os
import platform
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench import rows

HISTORY = Path(__file__).resolve().parents[2] / "bench-results"
PARTS = {
    "runs": lambda quick: rows.runs(quick=quick),
    "calls": lambda _: rows.calls(),
    "imports": lambda _: rows.imports(),
    "grades": lambda _: rows.grades(),
}


def main() -> None:
    """Measure the asked parts, one after the other."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--only", default=",".join(PARTS), help=f"parts, of {', '.join(PARTS)}")
    options = parser.parse_args()
    unknown = set(options.only.split(",")) - set(PARTS)
    if unknown:
        parser.error(f"unknown part {', '.join(sorted(unknown))}: use {', '.join(PARTS)}")
    found = [row for name in options.only.split(",") for row in PARTS[name](options.quick)]
    user = "root" if os.geteuid() == 0 else "an unprivileged user"
    table = Table(
        title=f"{platform.machine()}, {rows.CORES} cores, Python {platform.python_version()}, {user}"
    )
    for heading, justify in (("what", "left"), ("figure", "right"), ("against", "left"), ("ratio", "right")):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    table.add_column("wanted")
    for row in found:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        table.add_row(row.name, f"{row.value:.4g} {row.unit}", row.against, ratio, row.wanted)
    Console(width=120).print(table)
    load = os.getloadavg()[0]
    if load > rows.CORES:
        print(f"the machine was busy (load {load:.1f}): repeat on a quiet one")
    print(f"kept in {rows.save(found, HISTORY)}")


if __name__ == "__main__":
    main()

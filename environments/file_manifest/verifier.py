"""Compares the manifest with an oracle that never looks at the disk: it knows what it put there."""

from hashlib import sha256

from deepgym_solution import run_seed

from programs import check_files
from scoring import verdict
from variants import make_cases


def oracle(files):
    contents = {path: text.encode() for path, text in files.items() if path != "MANIFEST.txt"}
    lines = [
        f"{sha256(contents[path]).hexdigest()} {len(contents[path])} {path}" for path in sorted(contents)
    ]
    lines.append(f"{len(contents)} {sum(map(len, contents.values()))} {len(set(contents.values()))}")
    return {"MANIFEST.txt": "\n".join(lines)}


def verify(solution_path, test_cases_path=None):
    seed = run_seed()
    return verdict(check_files(solution_path, make_cases(seed), oracle), seed)

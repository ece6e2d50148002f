import hashlib
import os

lines, digests, total = [], set(), 0
for folder, _, names in os.walk("."):
    for name in names:
        path = os.path.relpath(os.path.join(folder, name), ".")
        if path == "MANIFEST.txt":
            continue
        with open(path, "rb") as file:
            content = file.read()
        digest = hashlib.sha256(content).hexdigest()
        digests.add(digest)
        total += len(content)
        lines.append((path, f"{digest} {len(content)} {path}\n"))

with open("MANIFEST.txt", "w", encoding="utf-8") as out:
    out.writelines(line for _, line in sorted(lines))
    out.write(f"{len(lines)} {total} {len(digests)}\n")

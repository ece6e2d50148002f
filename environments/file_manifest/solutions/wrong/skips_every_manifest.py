import hashlib
import os

rows, contents = {}, []
for folder, _, names in os.walk("."):
    for name in names:
        if name != "MANIFEST.txt":
            path = os.path.join(folder, name)[2:]
            content = open(path, "rb").read()
            contents.append(content)
            rows[path] = f"{hashlib.sha256(content).hexdigest()} {len(content)} {path}"
lines = [rows[path] for path in sorted(rows)] + [
    f"{len(rows)} {sum(map(len, contents))} {len(set(contents))}"
]
open("MANIFEST.txt", "w", encoding="utf-8").write("\n".join(lines) + "\n")

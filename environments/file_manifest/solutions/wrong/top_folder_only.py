import hashlib
import os

rows, contents = [], []
for name in sorted(os.listdir()):
    if os.path.isfile(name) and name != "MANIFEST.txt":
        content = open(name, "rb").read()
        contents.append(content)
        rows.append(f"{hashlib.sha256(content).hexdigest()} {len(content)} {name}")
rows.append(f"{len(rows)} {sum(map(len, contents))} {len(set(contents))}")
open("MANIFEST.txt", "w").write("\n".join(rows) + "\n")

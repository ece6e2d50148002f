from hashlib import sha256
from pathlib import Path

files = {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}
files.pop("MANIFEST.txt", None)
rows = [f"{sha256(files[path]).hexdigest()} {len(files[path])} {path}" for path in sorted(files)]
rows.append(f"{len(files)} {len(b''.join(files.values()))} {len(set(files.values()))}")
Path("MANIFEST.txt").write_bytes("\n".join(rows).encode())

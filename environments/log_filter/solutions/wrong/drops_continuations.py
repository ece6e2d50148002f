import sys

LEVELS = ["DEBUG", "INFO", "WARN", "ERROR"]
args = sys.argv[1:]
level = args[args.index("--level") + 1] if "--level" in args else "DEBUG"
text = args[args.index("--contains") + 1] if "--contains" in args else ""
if level not in LEVELS:
    sys.exit(2)
kept = []
for line in sys.stdin:
    name, _, message = line.partition(" ")
    if name in LEVELS and LEVELS.index(name) >= LEVELS.index(level) and text in message:
        kept.append(line)
print(len(kept) if "--count" in args else "".join(kept))
sys.exit(not kept)

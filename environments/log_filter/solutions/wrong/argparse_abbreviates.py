import argparse
import sys

LEVELS = ["DEBUG", "INFO", "WARN", "ERROR"]
parser = argparse.ArgumentParser()
parser.add_argument("--level", choices=LEVELS, default="DEBUG")
parser.add_argument("--contains", default="")
parser.add_argument("--count", action="store_true")
options = parser.parse_args()
kept, lines, keep = 0, [], False
for line in sys.stdin:
    level, space, message = line.partition(" ")
    if level in LEVELS and space:
        keep = LEVELS.index(level) >= LEVELS.index(options.level) and options.contains in message
        kept += keep
    if keep:
        lines.append(line)
print(kept if options.count else "".join(lines), end="")
sys.exit(0 if kept else 1)

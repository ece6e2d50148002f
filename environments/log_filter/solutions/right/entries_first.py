import re
import sys

WEIGHT = {"DEBUG": 0, "INFO": 1, "WARN": 2, "ERROR": 3}


def fail():
    sys.exit(2)


level, contains, count = None, None, False
args = sys.argv[1:]
while args:
    option = args.pop(0)
    if option == "--count" and not count:
        count = True
    elif option == "--level" and level is None and args and args[0] in WEIGHT:
        level = args.pop(0)
    elif option == "--contains" and contains is None and args:
        contains = args.pop(0)
    else:
        fail()

entries = []
for line in sys.stdin.read().splitlines():
    if re.match(r"(DEBUG|INFO|WARN|ERROR) ", line):
        entries.append([line])
    elif entries:
        entries[-1].append(line)
kept = []
for entry in entries:
    name, message = entry[0].split(" ", 1)
    if WEIGHT[name] >= WEIGHT[level or "DEBUG"] and (contains is None or contains in message):
        kept.append(entry)
if count:
    print(len(kept))
else:
    for entry in kept:
        print("\n".join(entry))
sys.exit(not kept)

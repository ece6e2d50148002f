import sys

LEVELS = ["DEBUG", "INFO", "WARN", "ERROR"]


def read_options(args):
    options = {}
    at = 0
    while at < len(args):
        name = args[at]
        if name not in ("--level", "--contains", "--count") or name in options:
            return None
        if name == "--count":
            options[name] = ""
        else:
            at += 1
            if at == len(args) or (name == "--level" and args[at] not in LEVELS):
                return None
            options[name] = args[at]
        at += 1
    return options


def main():
    options = read_options(sys.argv[1:])
    if options is None:
        return 2
    lowest = LEVELS.index(options.get("--level", "DEBUG"))
    text = options.get("--contains", "")
    kept, lines, keep = 0, [], False
    for line in sys.stdin:
        level, space, message = line.rstrip("\n").partition(" ")
        if level in LEVELS and space:
            keep = LEVELS.index(level) >= lowest and text in message
            kept += keep
        if keep:
            lines.append(line)
    if "--count" in options:
        print(kept)
    else:
        sys.stdout.writelines(lines)
    return 0 if kept else 1


sys.exit(main())

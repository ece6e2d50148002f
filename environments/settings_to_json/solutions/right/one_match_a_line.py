import json
import re
from pathlib import Path

LINE = re.compile(r"\s*(?:[#;].*|\[(?P<name>.*)\]|(?P<key>[^=]*)=(?P<value>.*))?\s*")
result, now = {}, None
for number, line in enumerate(Path("settings.ini").read_text("utf-8").split("\n"), 1):
    found = LINE.fullmatch(line)
    if found is None:
        result = {"error": number}
        break
    if found["name"] is not None:
        now = found["name"].strip()
        if now:
            result.setdefault(now, {})
    elif found["key"] is not None:
        text = found["value"].strip()
        value = {"true": True, "false": False, "": None}.get(text, text)
        if isinstance(value, str) and re.fullmatch(r"-?\d+", value, re.ASCII):
            value = int(value)
        result.setdefault(now or "", {})[found["key"].strip()] = value
Path("settings.json").write_text(json.dumps(result, ensure_ascii=False, sort_keys=True), "utf-8")

import json
import re

WORDS = {"true": True, "false": False, "": None}


def read_settings(lines):
    sections = {}
    section = ""
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if line == "" or line[0] in "#;":
            continue
        if line[0] == "[" and line[-1] == "]":
            section = line[1:-1].strip()
            sections.setdefault(section, {})
        elif "=" in line:
            key, _, value = line.partition("=")
            sections.setdefault(section, {})[key.strip()] = read_value(value.strip())
        else:
            return {"error": number}
    if sections.get("") == {}:
        del sections[""]
    return sections


def read_value(text):
    if re.fullmatch("-?[0-9]+", text):
        return int(text)
    return WORDS.get(text, text)


with open("settings.ini", encoding="utf-8") as lines:
    settings = read_settings(lines)
with open("settings.json", "w", encoding="utf-8") as out:
    json.dump(settings, out)

import json

sections, section = {}, ""
for number, line in enumerate(open("settings.ini", encoding="utf-8"), 1):
    line = line.strip()
    if not line or line[0] in "#;":
        continue
    if line.startswith("[") and line.endswith("]"):
        section = line[1:-1].strip()
        sections.setdefault(section, {})
    elif "=" in line:
        key, value = line.split("=", 1)
        sections.setdefault(section, {})[key.strip()] = value.strip()
    else:
        sections = {"error": number}
        break
json.dump(sections, open("settings.json", "w"))

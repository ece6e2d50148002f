import re


def fill_template(template, values):
    if re.fullmatch(r"(\{\{|\}\}|\{[A-Za-z0-9_]+\}|[^{}])*", template) is None:
        raise ValueError(template)
    for name in re.findall(r"\{([A-Za-z0-9_]+)\}", template.replace("{{", "").replace("}}", "")):
        template = template.replace("{" + name + "}", values[name])
    return template.replace("{{", "{").replace("}}", "}")

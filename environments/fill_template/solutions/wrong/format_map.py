def fill_template(template, values):
    return template.format_map(values)

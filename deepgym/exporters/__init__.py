"""Environments for other systems: task folders in Harbor's layout, and rows for trainers.

harbor.py   export_harbor(environment, dest)
rows.py     make_rows(entries, style) and write_rows(rows, file)
"""

"""Reading and restoring files around a candidate."""

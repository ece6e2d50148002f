"""One module a mode; loaded on first use so that a missing extra hurts only its own mode."""

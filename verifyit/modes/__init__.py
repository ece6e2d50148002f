"""One module a mode, loaded when the mode is first used."""

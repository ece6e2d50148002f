"""The library that verifiers use to start a solution, call it, and read what it wrote."""

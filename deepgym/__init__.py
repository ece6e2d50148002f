"""Environments, backends, registry, batch and CLI: a score that the answer cannot fake."""

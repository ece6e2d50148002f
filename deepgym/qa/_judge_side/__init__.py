"""Files that travel beside a verifier while an environment is examined; each is complete in itself."""

"""What travels into a sandbox to run one verifier: standard library only, complete in itself."""

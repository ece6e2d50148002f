"""The places where a verifier can run; `base` is the contract, `registry` finds them by name."""

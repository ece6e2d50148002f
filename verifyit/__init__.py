"""Pure graders from a TOML spec: (spec, candidate) -> Reward."""

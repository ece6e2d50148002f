"""Whether an environment can be trusted: `check` (is it sound?) and `qa` (can it be gamed?)."""

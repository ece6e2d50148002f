"""Programs and functions that run beside a grader, each under a deadline."""

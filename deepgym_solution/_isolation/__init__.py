"""Policy in, argv or bytes out: what keeps the solution from the judge."""

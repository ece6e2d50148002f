"""Everything that enters the solution's process: the wire codec and the runtime."""

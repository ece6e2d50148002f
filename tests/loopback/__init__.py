"""Our own servers that speak the providers' protocols on loopback, and run what they are asked to run for real."""

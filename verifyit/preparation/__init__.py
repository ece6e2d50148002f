"""What a candidate and its references go through before they are compared."""

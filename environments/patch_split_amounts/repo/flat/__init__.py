"""Money of a shared flat."""

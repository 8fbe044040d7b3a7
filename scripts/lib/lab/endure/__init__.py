"""scripts/endure: what a daemon goes through, one scenario a file."""

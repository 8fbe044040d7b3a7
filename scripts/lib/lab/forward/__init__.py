"""Real clients through the forward proxy: a server under a real name with a certificate, and who visits it."""

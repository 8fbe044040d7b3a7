"""The differences between toxiproxy and headwind, one small case each, in groups."""

"""A small world to look at, made through services; for the demo alone."""

"""What happens to entries: a module for each occasion."""

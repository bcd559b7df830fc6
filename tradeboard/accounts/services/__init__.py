"""What happens to people, a module per subject."""

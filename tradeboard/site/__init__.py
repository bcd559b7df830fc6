"""What the operator says of the site: its name, announcements, help."""

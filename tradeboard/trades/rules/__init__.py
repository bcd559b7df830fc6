"""What two people may do and by when; pure, a module per subject."""

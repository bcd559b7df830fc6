"""What is listed, held, lifted and shown; pure, a module per subject."""

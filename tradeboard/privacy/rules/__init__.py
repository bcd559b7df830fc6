"""Rules of privacy: how long what is kept, and the plan for each table."""

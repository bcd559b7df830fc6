"""The desk: every queue of the moderators, and the state of the system."""

"""What awaits a member: computed from states, never stored."""

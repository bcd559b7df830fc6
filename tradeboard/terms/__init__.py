"""The terms in their versions, and who agreed to which."""

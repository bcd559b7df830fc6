"""A member's public page: record and open listings."""

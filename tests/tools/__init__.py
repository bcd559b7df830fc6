"""What the tests use and the product does not have."""

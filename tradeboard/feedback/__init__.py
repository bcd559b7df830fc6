"""What two partners say of a trade: shown when both have written."""

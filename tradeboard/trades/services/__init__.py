"""What people and time do with trades, a module per stage."""

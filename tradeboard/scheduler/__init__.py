"""What runs by the clock, in a process of its own."""

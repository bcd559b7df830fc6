"""What each member has and wants, and who could trade with whom."""

"""What members report, and what moderators answer: warnings and remarks."""

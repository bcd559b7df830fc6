"""Help and legal pages, written in Markdown."""

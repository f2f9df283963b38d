"""Change feed: entries, positions, numbering, long polls."""

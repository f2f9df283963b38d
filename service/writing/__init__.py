"""Write engine: the four phases of a write, for every kind of record."""

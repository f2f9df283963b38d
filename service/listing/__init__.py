"""Lists: query string -> list request -> SQL of one page of records."""

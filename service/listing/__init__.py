"""Lists: from a query string to one page of records."""

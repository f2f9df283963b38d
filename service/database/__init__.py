"""PostgreSQL: connections, statements, and the schema's state."""

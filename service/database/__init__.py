"""PostgreSQL access: connections, transactions, statements, migrations and incidents."""

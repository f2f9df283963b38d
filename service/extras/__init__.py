"""Client, commands, pages, demo data and embedded server: beside the service, not in it."""

"""Organizations (tenants) and their API keys: storage, cache and administration."""

"""Shares of organizations: who waits for whom when a resource is short."""

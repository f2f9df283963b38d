"""Resources of the API: the registry, a module per resource, and shared base classes."""

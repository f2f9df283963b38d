"""HTTP handlers: one per operation, whatever the resource."""

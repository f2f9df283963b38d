"""HTTP handlers: one for each operation, which serves every resource."""

"""HTTP in, HTTP out: one handler per kind of operation, whatever the resource."""

"""HTTP layer: middleware, connection handling, request bodies, responses and metrics."""

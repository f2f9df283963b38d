"""Query engine: batches, the four phases of a write, documents, links and the change feed."""

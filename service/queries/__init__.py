"""Read and write engine: lists, documents, exports, batches, phases of a write, change feed."""

"""The engine: batches and their four phases, documents, links; what all resources share."""

"""Queries: one module per resource, with its rules and its batches."""

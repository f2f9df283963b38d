"""Vocabulary of a batch: its items, what a write changes, new ids, recorded changes."""

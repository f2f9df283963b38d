"""Workbooks of other programs: the same table by each, and the values that reading gives."""

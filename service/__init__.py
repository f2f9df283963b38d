"""Selvedge: the External API for apparel style and product master data."""

__version__ = "1.0.0"

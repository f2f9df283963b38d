"""Selvedge: the External API for apparel style and product master data."""

__version__ = "0.1.0"

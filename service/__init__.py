"""Selvedge: the External API for apparel style and product master data."""

__version__ = "0.5.0"
"""Version of the program; that of the interface is in ``service/openapi``."""

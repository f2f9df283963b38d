"""The demo data set: two made-up brands, the same bytes on every machine (contract, Demo data)."""

from service.demo.loading import DemoDataError, is_empty, load

__all__ = ["DemoDataError", "is_empty", "load"]

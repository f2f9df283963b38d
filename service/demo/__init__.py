"""Demo data: two made-up brands, with the same rows on every machine (contract, Demo data)."""

from service.demo.loading import DemoDataError, load

__all__ = ["DemoDataError", "load"]

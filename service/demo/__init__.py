"""Demo data: two made-up organizations, equal on every machine (contract, Demo data)."""

from service.demo.loading import DemoDataError, load

__all__ = ["DemoDataError", "load"]

"""Demo data: two made-up organizations, equal on every machine (operating, Demo data)."""

from service.extras.demo.loading import DemoDataError, load

__all__ = ["DemoDataError", "load"]

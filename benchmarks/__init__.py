"""Measurements beside peers and ceilings, never part of `make test` (see docs/benchmarks.md)."""

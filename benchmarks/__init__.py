"""Benchmarks beside peers and upper limits; ``make test`` runs them once, untimed."""

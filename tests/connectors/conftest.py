"""Collects tests of connectors if their tools are installed."""

from tests.connectors import tools

collect_ignore_glob = [] if tools.are_installed() else ["test_*.py"]

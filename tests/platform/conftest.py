"""Fixtures of the platform's tests."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.folders import throw_away


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A data folder that the embedded server's account may reach, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="selvedge-data-", dir=throw_away()) as folder:
        Path(folder).chmod(0o711)
        yield Path(folder) / "data"

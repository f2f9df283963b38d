"""Fixtures of the platform's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.temporary_folders import temporary_folder


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A data folder that the embedded server's account may reach, unlike pytest's own."""
    with temporary_folder() as folder:
        yield folder / "data"

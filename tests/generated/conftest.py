"""Fixtures of tests with third-party tools, collected if Node.js and the tools exist."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest

from service import openapi
from tests.generated import tools
from tests.support.api import issue_key
from tests.support.serving import serving

collect_ignore_glob = [] if tools.are_installed() else ["test_*.py"]


class ServiceAddress(NamedTuple):
    """Address of a running service, and a key of organization 1."""

    url: str
    key: str


@pytest.fixture
async def service_address(demo_dsn: str) -> AsyncIterator[ServiceAddress]:
    """The service on the demo data."""
    async with serving(demo_dsn) as server:
        yield ServiceAddress(str(server.make_url("/")).rstrip("/"), await issue_key(demo_dsn, 1))


@pytest.fixture
def document(tmp_path: Path) -> Path:
    """The OpenAPI document as a file."""
    path = tmp_path / "openapi.json"
    path.write_bytes(openapi.document())
    return path

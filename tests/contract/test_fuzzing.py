"""Requests made up from the OpenAPI document: no answer that the document does not describe."""

import asyncio
import sys
from pathlib import Path

from aiohttp.test_utils import TestServer

from service.app import create_app
from service.settings import Settings
from tests.support.api import issue_key

_SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
#: What only the database knows, and parameters that exclude each other, stand in no schema.
_UNKNOWABLE = "positive_data_acceptance"
_EXAMPLES_PER_OPERATION = 5


#: Longer request lines than any that is made up: what the parser refuses never gets to the service.
_LINE_BYTES = 1 << 20


async def test_no_made_up_request_surprises(demo_dsn: str, tmp_path: Path) -> None:
    key = await issue_key(demo_dsn, 1)
    server = TestServer(create_app(Settings.from_environment({}), demo_dsn))
    await server.start_server(max_line_size=_LINE_BYTES, max_field_size=_LINE_BYTES)
    try:
        await _fuzz(str(server.make_url("/openapi.json")), key, tmp_path)
    finally:
        await server.close()


async def _fuzz(url: str, key: str, folder: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        _SCHEMATHESIS,
        "run",
        url,
        f"--header=Authorization: Bearer {key}",
        "--phases=examples,coverage,fuzzing",
        f"--exclude-checks={_UNKNOWABLE}",
        f"--max-examples={_EXAMPLES_PER_OPERATION}",
        "--generation-deterministic",
        "--generation-codec=latin-1",  # the client can send no other header
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()

"""Requests made up from the OpenAPI document: no answer that the document does not describe."""

import asyncio
import sys
from pathlib import Path

from tests.support.api import Api

_SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
#: What only the database knows, and parameters that exclude each other, stand in no schema.
_UNKNOWABLE = "positive_data_acceptance"
_EXAMPLES_PER_OPERATION = 10


async def test_no_made_up_request_surprises(api: Api, tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        _SCHEMATHESIS,
        "run",
        str(api.client.make_url("/openapi.json")),
        f"--header=Authorization: Bearer {api.key}",
        "--phases=examples,coverage,fuzzing",
        f"--exclude-checks={_UNKNOWABLE}",
        f"--max-examples={_EXAMPLES_PER_OPERATION}",
        "--generation-deterministic",
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()

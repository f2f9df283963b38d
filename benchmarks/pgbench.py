"""Upper limit: pgbench with the statements that Selvedge sends, without a service.

The statements are captured from the service; their parameters become variables of pgbench, which
prepares every statement once, as asyncpg does. They are those without history: versions of records
have numbers of their own, which cannot be repeated, and their forms are too long for variables.
"""

import os
import re
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest import mock
from urllib.parse import parse_qs, urlsplit

import asyncpg
import psycopg
from aiohttp.test_utils import TestClient, TestServer
from psycopg.adapt import PyFormat, Transformer

from benchmarks.data import Data
from benchmarks.load import Request
from benchmarks.scenarios import VARIANTS, Scenario
from service.app import create_app
from service.database.statements import load
from service.extras.embedded.postmaster import installation
from service.settings import Settings

_VERSION: Final = 18
_WARM_UP: Final = 1
"""Whole seconds, as pgbench requires."""
_COMMENT: Final = re.compile(r"('(?:[^']|'')*')|--.*$", re.MULTILINE)
"""Pattern of literals, which stay, and of comments."""
_LITERAL: Final = re.compile(r"'(?:[^']|'')*'")
_VARIABLE: Final = re.compile(r":[A-Za-z0-9_]")
_READ: Final = re.compile(r"(?<!:):(v\d+)\b")
_RECORD: Final = load("changes")["record"].text
_NEW_CHANGE_ID: Final = "nextval(pg_get_serial_sequence('change', 'id'))"
"""SQL of the id of a change; the service's connections take ids in blocks beforehand."""
_UNREPEATED: Final = re.compile("secret_sha256|changed_at|typeinfo_tree|nextval")
"""Pattern of statements that are not sent with every request: for API keys, types and new ids."""


@dataclass(frozen=True, slots=True)
class Script:
    """Script of pgbench, and its variables."""

    text: str
    variables: dict[str, str]
    transactions: list[tuple[list[str], bytes]]
    """Statements and response of each request of the first connection."""


async def script(data: Data, scenario: Scenario) -> Script:
    """Return one script for all connections of a scenario, which branches by connection."""
    async with _captured(data) as (client, statements):
        lines, variables = [], _Variables()
        transactions = []
        for number in range(scenario.connections):
            requests = scenario.requests(data, number)
            lines.append(f"\\{'elif' if number else 'if'} :client_id = {number}")
            # The last request before the first: the captured statements change the variant before.
            await _send(client, requests[-1], data.key)
            for variant, request in enumerate(requests):
                lines.append(f"\\{'elif' if variant else 'if'} :variant = {variant}")
                statements.clear()
                answer = await _send(client, request, data.key)
                transaction = [*_transaction(statements, variables)]
                lines += transaction
                if not number:
                    transactions.append((transaction, answer))
            lines += ["\\endif", f"\\set variant (:variant + 1) % {len(requests)}"]
        lines.append("\\endif")
    return Script("\n".join(lines) + "\n", {"variant": "0", **variables.named}, transactions)


def check(script: Script, dsn: str) -> None:
    """Raise AssertionError unless the script's statements read the documents of the responses.

    pgbench shows no results, so psycopg sends the same statements and the same variables.
    """
    with psycopg.connect(dsn, autocommit=True) as connection:
        for transaction, answer in script.transactions:
            documents: list[bytes] = []
            for statement in transaction:
                query = _READ.sub(r"%(\1)s", statement.replace("%", "%%"))
                cursor = connection.execute(query.encode(), script.variables)
                names = [column.name for column in cursor.description or ()]
                if "documents" in names:
                    (row,) = cursor.fetchall()
                    value = row[names.index("documents")]
                    documents = value if isinstance(value, list) else [value]
            assert documents, "No statement answered documents."
            assert all(documents), "A document is null."
            for document in documents:
                assert document in answer, (document[:1000], answer[:1000])


@asynccontextmanager
async def _captured(data: Data) -> AsyncIterator[tuple[Any, list[tuple[str, Sequence[Any]]]]]:
    """Run the service in this process; yield a client, and the list of its statements."""
    statements: list[tuple[str, Sequence[Any]]] = []

    connect = asyncpg.connect

    async def listened(*arguments: Any, **options: Any) -> asyncpg.Connection:
        connection = await connect(*arguments, **options)
        connection.add_query_logger(lambda query: statements.append((query.query, query.args)))
        return connection

    with mock.patch("asyncpg.connect", listened):
        settings = {"LOG_LEVEL": "warning", "RESPONSE_CACHE_MIB": "0", "HISTORY_DAYS": "0"}
        app = create_app(Settings.from_environment(settings), data.dsn)
        async with TestClient(TestServer(app)) as client:
            yield client, statements


async def _send(client: Any, request: Request, key: str) -> bytes:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": request.content_type}
    async with client.request(
        request.method, request.path, data=request.body or None, headers=headers
    ) as response:
        assert response.status == 200, await response.text()
        return bytes(await response.read())


class _Variables:
    """Names of a script's values, each value once."""

    def __init__(self) -> None:
        self.named: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def name(self, value: str) -> str:
        if value not in self._names:
            self._names[value] = f"v{len(self._names)}"
            self.named[self._names[value]] = value
        return self._names[value]


def _transaction(
    statements: Sequence[tuple[str, Sequence[Any]]], variables: _Variables
) -> Iterator[str]:
    for text, parameters in statements:
        if _UNREPEATED.search(text):
            continue
        values = [_parameter(value, variables) for value in parameters]
        if text == _RECORD:
            values[1] = _NEW_CHANGE_ID
        # pgbench takes a colon in a literal for a variable, so such literals become variables.
        code = _COMMENT.sub(r"\1", text)
        quoted = _LITERAL.sub(lambda match: _literal(match[0], variables), code)
        pieces = re.split(r"\$(\d+)", quoted)
        pieces[1::2] = [values[int(number) - 1] for number in pieces[1::2]]
        for part in "".join(pieces).split(";"):
            yield f"{part.strip()};"


def _literal(quoted: str, variables: _Variables) -> str:
    if not _VARIABLE.search(quoted):
        return quoted
    return f":{variables.name(quoted[1:-1].replace(chr(39) * 2, chr(39)))}::text"


def _parameter(value: Any, variables: _Variables) -> str:
    """Return the text of a parameter: a variable in PostgreSQL's text format, or null.

    A variable of pgbench cannot be null. Every parameter of the statements has its type beside it.
    """
    if value is None:
        return "null"
    listed = sorted(value) if isinstance(value, set | frozenset) else value
    dumper = Transformer().get_dumper(listed, PyFormat.TEXT)
    return f":{variables.name(bytes(dumper.dump(listed) or b'').decode())}"


@dataclass(frozen=True, slots=True)
class PgbenchRun:
    """Results of a run of pgbench."""

    transactions: int
    """Number of transactions, the warm-up's included."""
    per_second: float
    median_seconds: float
    p99_seconds: float


def run(script: Script, dsn: str, connections: int, seconds: float, folder: Path) -> PgbenchRun:
    """Let pgbench repeat the script, with 0 seconds each request once; raise RuntimeError."""
    with TemporaryDirectory(dir=folder) as own_folder:
        path, log = Path(own_folder, "script.sql"), Path(own_folder, "transactions")
        path.write_text(script.text)
        command = [
            *_command(script, dsn),
            *("-n", "-M", "prepared", "-j", "1", "-c", str(connections), "-f", str(path)),
            *(("-T", str(_WARM_UP + ceil(seconds))) if seconds else ("-t", str(VARIANTS))),
            *("-l", "--log-prefix", str(log)),
        ]
        output = _execute(command, PGPASSWORD=urlsplit(dsn).password or "")
        lines = [
            line.split()
            for written in log.parent.glob("transactions.*")
            for line in written.read_text().splitlines()
        ]
    failed = re.search(r"failed transactions: ([0-9]+)", output)
    assert failed is None or failed[1] == "0", output
    return measured(lines, _WARM_UP if seconds else 0)


def measured(lines: Sequence[Sequence[str]], warm_up: int) -> PgbenchRun:
    """Read pgbench's log: latency in microseconds, and the end by the clock in two fields.

    Transactions that end during the warm-up, while sessions prepare statements, do not count.
    """
    pairs = [(int(line[4]) + int(line[5]) / 1e6, int(line[2]) / 1e6) for line in lines]
    start = min(end - latency for end, latency in pairs) + warm_up
    latencies = sorted(latency for end, latency in pairs if end > start)
    if not latencies:
        raise RuntimeError(f"pgbench was not done with anything after {warm_up} s")
    rate = len(latencies) / (max(end for end, _ in pairs) - start)
    at = [latencies[len(latencies) * percent // 100] for percent in (50, 99)]
    return PgbenchRun(len(pairs), rate, *at)


def _command(script: Script, dsn: str) -> list[str]:
    """Return the command of pgbench with the server and the variables."""
    parts = urlsplit(dsn)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    return [
        str(installation(_VERSION) / "bin" / "pgbench"),
        *("-h", query.get("host", parts.hostname or ""), "-p", query.get("port", "5432")),
        *("-U", parts.username or "postgres", "-d", parts.path.lstrip("/")),
        *(part for name, value in script.variables.items() for part in ("-D", f"{name}={value}")),
    ]


def _execute(command: list[str], **environment: str) -> str:
    """Run a command of pgbench and return its output."""
    environment = {**os.environ, "PGOPTIONS": "-c jit=off", **environment}
    output = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    if output.returncode:
        raise RuntimeError(f"pgbench: {output.stderr[-2000:]}")
    return output.stdout

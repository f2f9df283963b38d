"""Copies that data-integration tools keep by the files in `docs/connectors`."""

import asyncio
import json
import shutil
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

from tests.connectors.tools import CONFIGURATIONS, HOME, TOOLS, Run, run
from tests.support.api import Api

Documents: TypeAlias = dict[tuple[str, str], Any]
"""By collection and id."""
_OWN_COLUMNS: Final = ("record_id", "n", "gone", "collection")


class Copy(ABC):
    """Copy of an organization's records that one tool keeps in a folder."""

    name: str

    def __init__(self, folder: Path, api: Api, url: str) -> None:
        self.folder = folder
        self.api = api
        self.url = url
        shutil.copytree(CONFIGURATIONS / self.name, folder, dirs_exist_ok=True)

    @abstractmethod
    async def begin(self) -> None:
        """Forget what was copied, and do what the tool needs before the first load."""

    @abstractmethod
    async def load(self, interruption: asyncio.Event | None = None) -> Run:
        """Load all records."""

    @abstractmethod
    async def follow(self, interruption: asyncio.Event | None = None) -> Run:
        """Run the nightly job."""

    @abstractmethod
    def documents(self) -> Documents:
        """Return the documents of the copy."""

    @abstractmethod
    def plain(self, document: Any) -> Any:
        """Return a document of the lists in the form in which the copy has it."""

    def tool(self, command: str) -> Path:
        """Return a command of the tool's environment."""
        return TOOLS / self.name / "bin" / command


class DltCopy(Copy):
    """Tables in DuckDB, one for each collection."""

    name = "dlt"
    script, dataset = "selvedge_records", "records"
    own_keys: tuple[str, ...] = ("record_id",)

    def _environment(self) -> dict[str, str]:
        return {
            "SELVEDGE_URL": self.url,
            "SELVEDGE_API_KEY": self.api.key,
            "DLT_DATA_DIR": str(self.folder / "data"),
            "RUNTIME__DLTHUB_TELEMETRY": "false",
        }

    async def begin(self) -> None:
        if (self.folder / "data").exists():
            drop = ("pipeline", self.script, "drop", "--drop-all")
            command = (self.tool("dlt"), "--yes", *drop)
            dropped = await run(self.folder, *command, environment=self._environment())
            assert dropped.status == 0, dropped.errors

    async def load(self, interruption: asyncio.Event | None = None) -> Run:
        return await self.follow(interruption)

    async def follow(self, interruption: asyncio.Event | None = None) -> Run:
        command = (self.tool("python"), f"{self.script}.py")
        return await run(
            self.folder, *command, environment=self._environment(), interruption=interruption
        )

    def documents(self) -> Documents:
        script = (
            self.tool("python"),
            HOME / "read_duckdb.py",
            self.folder / f"{self.script}.duckdb",
            self.dataset,
        )
        printed = subprocess.run(script, check=True, capture_output=True, text=True).stdout
        documents: Documents = {}
        for table, row in map(json.loads, printed.splitlines()):
            own_key = next(name for name in self.own_keys if name in row)
            key = table.replace("_", "-"), str(row[own_key])
            assert key not in documents
            members = ((name, value) for name, value in row.items() if name not in _OWN_COLUMNS)
            documents[key] = {name.replace("_", ""): value for name, value in members}
        return documents

    def plain(self, document: Any) -> Any:
        return {name.lower(): value for name, value in document.items() if value is not None}


class ShopCopy(DltCopy):
    """Tables of products and of effective prices."""

    script, dataset = "selvedge_shop", "shop"
    own_keys = ("style_sku_id", "style_id")
    channel = price_list = ""

    def _environment(self) -> dict[str, str]:
        names = {"SELVEDGE_CHANNEL": self.channel, "SELVEDGE_PRICE_LIST": self.price_list}
        return super()._environment() | names

    def documents(self) -> Documents:
        documents = super().documents()
        for (table, _), document in documents.items():
            if table == "products":
                del document["styleid"]
        return documents


class MessageCopy(Copy):
    """Records and changes that a tool prints, each under its key, and its last state.

    Of a killed run the copy has what was printed, and the state if there was one.
    """

    def __init__(self, folder: Path, api: Api, url: str) -> None:
        super().__init__(folder, api, url)
        self.records: Documents = {}
        self.changes: Documents = {}
        self.state: Any = None

    async def position(self) -> tuple[int, str]:
        """Return the position of the feed's end: number and epoch."""
        headers = (await self.api.get("/api/changes", {"from": "now"})).headers
        return int(headers["X-Changes-After"]), headers["X-Changes-Epoch"]

    def write(self, name: str, value: Any) -> None:
        """Write a file that the tool reads."""
        (self.folder / name).write_text(json.dumps(value))

    def documents(self) -> Documents:
        merged = self.records | self.changes
        return {key: self.plain(merged[key]) for key in merged if merged[key] is not None}

    def plain(self, document: Any) -> Any:
        return document

    def messages(self, result: Run) -> Iterator[dict[str, Any]]:
        """Yield the complete messages of a run."""
        for line in result.output.splitlines(keepends=True):
            if line.endswith("\n"):
                yield json.loads(line)


class SingerCopy(MessageCopy):
    """Messages of a Singer tap."""

    name = "singer"

    async def _run(
        self, config: str, *options: str, interruption: asyncio.Event | None = None
    ) -> Run:
        environment = {
            "TAP_REST_API_MSDK_API_URL": self.url,
            "TAP_REST_API_MSDK_BEARER_TOKEN": self.api.key,
        }
        tap, configs = self.tool("tap-rest-api-msdk"), ("--config", config, "--config", "ENV")
        return await run(
            self.folder, tap, *configs, *options, environment=environment, interruption=interruption
        )

    async def begin(self) -> None:
        n, epoch = await self.position()
        bookmark = {"replication_key": "n", "replication_key_value": str(n)}
        self.write("epoch.json", {"params": {"epoch": epoch}})
        self.state = {"bookmarks": {"changes": bookmark}}
        self.records, self.changes = {}, {}

    async def load(self, interruption: asyncio.Event | None = None) -> Run:
        result = await self._run("lists.json", interruption=interruption)
        for message in self.messages(result):
            if message["type"] == "RECORD":
                document = message["record"]["_sdc_raw_json"]
                self.records[message["stream"], str(next(iter(document.values())))] = document
        return result

    async def follow(self, interruption: asyncio.Event | None = None) -> Run:
        self.write("state.json", self.state)
        options = ("--config", "epoch.json", "--state", "state.json")
        result = await self._run("changes.json", *options, interruption=interruption)
        for message in self.messages(result):
            if message["type"] == "RECORD":
                entry = message["record"]
                key = entry["collection"], str(entry["recordId"])
                self.changes[key] = json.loads(entry["document"])
            elif message["type"] == "STATE" and message["value"]:
                self.state = message["value"]
        return result


class AirbyteCopy(MessageCopy):
    """Messages of an Airbyte source."""

    name = "airbyte"

    async def _read(self, stream: str, mode: str, interruption: asyncio.Event | None = None) -> Run:
        described = {"name": stream, "json_schema": {}, "supported_sync_modes": [mode]}
        chosen = {"stream": described, "sync_mode": mode, "destination_sync_mode": "append_dedup"}
        self.write("catalog.json", {"streams": [chosen]})
        self.write("state.json", [self.state] if self.state else [])
        result = await run(
            self.folder,
            *(self.tool("source-declarative-manifest"), "read", "--manifest-path"),
            *("manifest.yaml", "--config", "config.json"),
            *("--catalog", "catalog.json", "--state", "state.json"),
            environment={},
            interruption=interruption,
        )
        for message in self.messages(result):
            if message["type"] == "RECORD":
                self._apply(message["record"])
            elif message["type"] == "STATE" and stream == "changes":
                self.state = message["state"]
        return result

    def _apply(self, record: dict[str, Any]) -> None:
        entry = record["data"]
        key = entry["collection"], str(entry["recordId"])
        if record["stream"] == "changes":
            self.changes[key] = entry.get("document")
        else:
            del entry["collection"], entry["recordId"]
            self.records[key] = entry

    async def begin(self) -> None:
        after, epoch = await self.position()
        config = {"url": self.url, "api_key": self.api.key, "after": after, "epoch": epoch}
        self.write("config.json", config)
        self.records, self.changes, self.state = {}, {}, None

    async def load(self, interruption: asyncio.Event | None = None) -> Run:
        return await self._read("records", "full_refresh", interruption)

    async def follow(self, interruption: asyncio.Event | None = None) -> Run:
        return await self._read("changes", "incremental", interruption)

    def plain(self, document: Any) -> Any:
        """Return the document without members that are null, which Airbyte leaves out."""
        if isinstance(document, dict):
            return {
                name: self.plain(value) for name, value in document.items() if value is not None
            }
        return [*map(self.plain, document)] if isinstance(document, list) else document

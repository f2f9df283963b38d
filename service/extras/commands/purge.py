"""Purge command: `selvedge purge` removes records that have been deleted for a number of days.

Problem: the tables do not have the times of deletions, and the change feed expires. Rejected: a
column that all deletes write. Chosen: each run notes the records that are deleted, and removes
those that a run has noted so many days ago (operating, Command line).
"""

from argparse import Namespace
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import asyncpg

from service.database.statements import SHARED, load
from service.extras.commands import CommandError, Parsers
from service.extras.commands.administration import identifier
from service.extras.commands.command_database import run
from service.extras.commands.prompts import add_yes, confirm, print_table, whole_number
from service.organizations import administration as organizations
from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS
from service.settings import Settings
from service.writing.own_keys import lock_writers

_HELP: Final = "days since the first run that saw a record deleted"
BATCH: Final = 1000
"""Maximum number of records that a transaction removes."""
PURGED: Final = [each for each in reversed(MASTER_RECORDS) if "delete" in each.deletes]
"""Collections with a soft delete, most of them before those that they refer to."""
_TABLES: Final = [each.table for each in MASTER_RECORDS]
_OWN: Final = {
    "style": ("measurement_line", "style_in_group"),
    "style_color": ("style_color_in_season",),
}
"""Children by table whose foreign keys to it do not cascade."""
_SQL: Final = load("deleted_records")
_FORGET: Final = load("record_versions")["forget"].text
_LOCK_ORGANIZATION: Final = SHARED["lock_organization"].text


def add(parsers: Parsers) -> None:
    """Add the command."""
    parser = parsers.add_parser("purge")
    days = whole_number(0, 10**6, "a whole number of days from 0")
    parser.add_argument("--days", type=days, required=True, metavar="N", help=_HELP)
    parser.add_argument("--organization", type=identifier, metavar="ID", help="default: all")
    parser.add_argument("--dry-run", action="store_true", help="print the numbers, change nothing")
    add_yes(parser)
    parser.set_defaults(run=purge)


def purge(settings: Settings, arguments: Namespace) -> None:
    """Purge, and print for each collection how many records were removed, and how many referenced.

    Raise CommandError without confirmation, and for an unknown organization.
    """
    if not arguments.dry_run:
        confirm(arguments, f"Remove for good what has been deleted for {arguments.days} days?")
    removed, referenced = run(settings, _purge, arguments)
    rows = [(each.name, f"{removed[each.name]:,}", f"{referenced[each.name]:,}") for each in PURGED]
    print_table(("COLLECTION", "REMOVED", "KEPT"), sorted(rows))


async def _purge(
    connection: asyncpg.Connection, arguments: Namespace
) -> tuple[Counter[str], Counter[str]]:
    """Purge organizations; return the numbers of removed and of referenced records by collection.

    A dry run takes no locks of writers; the end of the connection rolls it back.
    """
    organization = arguments.organization
    rows = await organizations.rows(connection, "list_organizations")
    ids = [row["id"] for row in rows if organization in (None, row["id"])]
    if organization is not None and not ids:
        raise CommandError(f"there is no organization {organization}")
    if arguments.dry_run:
        await connection.transaction().start()
    references = await connection.fetch(_SQL["references"].text)
    removed, referenced = Counter[str](), Counter[str]()
    for organization_id in ids:
        work = _Purge(connection, organization_id, arguments, references)
        await work.run()
        removed += work.removed
        referenced += work.referenced
    return removed, referenced


@dataclass(slots=True)
class _Purge:
    """Purge of one organization, in transactions of at most BATCH records."""

    connection: asyncpg.Connection
    organization_id: int
    arguments: Namespace
    references: Sequence[asyncpg.Record]
    """Foreign keys of the schema."""
    removed: Counter[str] = field(default_factory=Counter)
    referenced: Counter[str] = field(default_factory=Counter)

    async def run(self) -> None:
        """Note the deleted records; then remove, until rows refer to all that are left."""
        for resource in PURGED:
            async with self._locked(resource):
                for name in ("forget", "note"):
                    text = _SQL[name].fill(table=str(resource.table))
                    await self.connection.execute(text, self.organization_id, resource.name)
        total = -1
        while total < (total := self.removed.total()):
            self.referenced.clear()
            for resource in PURGED:
                last_id = 0
                while last_id >= 0:
                    async with self._locked(resource):
                        last_id = await self._remove_next(resource, last_id)

    @asynccontextmanager
    async def _locked(self, resource: MasterRecord) -> AsyncIterator[None]:
        """Run the block in a transaction with the locks of writes to the collection."""
        async with self.connection.transaction():
            if not self.arguments.dry_run:
                await lock_writers(self.connection, self.organization_id, {resource.name})
                await self.connection.execute(_LOCK_ORGANIZATION, self.organization_id)
            yield

    async def _remove_next(self, resource: MasterRecord, after_id: int) -> int:
        """Remove the next batch after an id; return its last id, -1 if there is none."""
        table = str(resource.table)
        text = _SQL["due"].fill(table=table, limit=str(BATCH))
        due = (self.organization_id, resource.name, self.arguments.days, after_id)
        ids = unused = [row["id"] for row in await self.connection.fetch(text, *due)]
        owners = self._owners(table)
        text, count = self._unused(table, owners), -1
        while count != (count := len(unused)):
            rows = await self.connection.fetch(text, self.organization_id, unused)
            unused = [row["id"] for row in rows]
        if "uncount" in resource.statements:
            text = resource.statements["uncount"].text
            await self.connection.execute(text, self.organization_id, unused)
        for own in (*_OWN.get(table, ()), table):
            text = _SQL["remove"].fill(table=own, owner=owners[own])
            await self.connection.execute(text, self.organization_id, unused)
        names = (resource.name, *resource.parts)
        for name in names:
            await self.connection.execute(_FORGET, self.organization_id, name, unused)
        self.removed[resource.name] += len(unused)
        self.referenced[resource.name] += len(ids) - len(unused)
        return max(ids, default=-1)

    def _owners(self, table: str) -> dict[str, str]:
        """Return the tables whose rows go with a record, with the columns of the record's id."""
        return {table: "id"} | {
            key["source"]: key["owner"]
            for key in self.references
            if key["target"] == table and (key["cascades"] or key["source"] in _OWN.get(table, ()))
            if key["source"] not in _TABLES
        }

    def _unused(self, table: str, owners: Mapping[str, str]) -> str:
        """Return the statement for the records of a batch that no row outside of it refers to.

        Children that the database deletes with their owners do not count, unless they are records.
        """
        conditions = [
            _SQL["referred_to"].fill(
                **{name: key[name] for name in ("source", "target", "matches")},
                owner=owners[key["target"]],
                referrer=f"referring.{owners[key['source']]}" if key["source"] in owners else "-1",
            )
            for key in self.references
            if key["target"] in owners and (not key["cascades"] or key["source"] in _TABLES)
        ]
        return _SQL["unused"].fill(table=table, referred_to="\nor ".join(["false", *conditions]))

"""References of list entries to records of collections, and to languages."""

from collections.abc import Mapping, Sequence
from typing import Final

from service.batches.batch import Batch
from service.database.statements import load
from service.error_types import ErrorType
from service.listing.properties import stored_id
from service.records.child_table import ChildTable
from service.records.matched_children import MatchedChildren
from service.records.reference_targets import TARGETS, ReferenceTarget
from service.records.references import Reference

_UNKNOWN_LANGUAGES: Final = load("child_lists")["unknown_languages"].text


async def check_references(
    batch: Batch, table: ChildTable, references: Mapping[str, str], lists: Sequence[MatchedChildren]
) -> None:
    """Lock the records that entries refer to anew; report those that are not live.

    ``references`` has what members refer to. Entries may keep references to deleted records.
    """
    for name, target_name in references.items():
        target = TARGETS.get(target_name)
        if target is None or not target_name.replace("-", "").isalpha():
            continue
        referring = [
            (children, child_id, stored_id(entry[name]))
            for children in lists
            for child_id, entry in children.all.items()
            if entry.get(name) is not None and not _is_stored(table, children, child_id, name)
        ]
        ids = sorted({record_id for *_, record_id in referring})
        live = await _live(batch, target, ids) if ids else set()
        for children, child_id, record_id in referring:
            if record_id not in live:
                index = children.request_indexes[child_id]
                path = (index,) if table.linked else (index, name)
                message = f"There is no such {target.noun}."
                children.fail(batch, ErrorType.UNKNOWN_REFERENCE, *path, message=message)


def _is_stored(table: ChildTable, children: MatchedChildren, child_id: int, name: str) -> bool:
    """Return whether the stored entry has the same reference."""
    row = children.stored.all.get(child_id)
    if row is None or name == table.key:
        return row is not None
    return bool(row[table.members.index(name)] == stored_id(children.all[child_id][name]))


async def _live(batch: Batch, target: ReferenceTarget, ids: list[int]) -> set[int]:
    """Return the ids of live records, which stay locked; languages are shared and never locked."""
    if target.name == "languages":
        rows = await batch.fetch(_UNKNOWN_LANGUAGES, ids)
        return {*ids} - {row["id"] for row in rows}
    records = await Reference("", target.table, target.noun).find(batch, ids)
    return {record_id for record_id, row in records.items() if row["is_live"]}

"""Entry: an item of a write, with what the write knows of it beside its fields."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias

Item: TypeAlias = dict[str, Any]
"""JSON object of a request."""
LockedRow: TypeAlias = Mapping[str, Any]
"""Stored record before the write, as the locking statement returned it.

Its columns are ``id``, ``state`` (``active`` for records without one), ``key`` (own key, of a part
that of its owner), ``within_id`` (parent of the own key), and ``fields`` (JSON of the fields that
writes keep); the last three may be null.
"""


class EntryOperation(StrEnum):
    """Operation of an entry, by its name in transactions, which have no edits."""

    UPSERT = "upsert"
    MERGE = "merge"
    IMPORT = "import"
    CREATE = "create"
    DELETE = "delete"
    EDIT = "edit"


# Members of an enumeration take longer to look up.
UPSERT: Final = EntryOperation.UPSERT
MERGE: Final = EntryOperation.MERGE
IMPORT: Final = EntryOperation.IMPORT
CREATE: Final = EntryOperation.CREATE
DELETE: Final = EntryOperation.DELETE
EDIT: Final = EntryOperation.EDIT


class Edit(NamedTuple):
    """Edit of a stored writable form."""

    apply: Callable[[Item, Sequence[Item]], Item]
    """Returns the new form, given the stored one and ``values`` with ids; raises ApiError."""
    values: Sequence[Item] = ()
    """Items whose key objects are compared with ids; they become ids before ``apply``."""


class ItemOutcome(NamedTuple):
    """Outcome of one item, with the id and own key of its record; for a part, of its owner."""

    outcome: str
    id: int | None
    """None if there is no record."""
    key: Any
    """Text, or the id of the record that is the own key, or None."""


class MemberChange(NamedTuple):
    """Change of a field, with its whole values before and after; None for none."""

    field: str
    before: Any
    after: Any


class Entry(dict[str, Any]):
    """Item of a write: its fields, and what the write knows of it.

    The member ``id`` is that of its record once it is known: from the request, from the lock of the
    record with its own key, or as the new id of a record to create. The write changes the fields in
    place.
    """

    # Defaults are those of the class, so that few attributes are set for each entry of a write.
    index: int
    """Request index, which counts all items of the request from 0."""
    operation: EntryOperation = UPSERT
    is_by_id: bool = True
    """Whether it names its record by id, not by own key."""
    edit: Edit | None = None
    """What an operation ``edit`` does."""
    creates: bool = False
    """Whether it must create its record; those by own key may."""
    deletes: bool = False
    """Whether it deletes its record."""
    is_edited: bool = False
    """Whether its fields are to become those of the stored form, edited or merged with."""
    is_new: bool = False
    """Whether it creates its record."""
    is_renamed: bool = False
    """Whether it gives its record another own key (``newKey``)."""
    stored: LockedRow | None = None
    """Locked row of its record; None before the lock and of a new record."""
    was_deleted: bool = False
    """Whether its record was deleted before the write."""
    form: bytes | None = None
    """Writable form of the record before the write as JSON, if that was read."""
    patch: Item | None = None
    """Merge patch that the fields were before they were merged; {} of other edits."""
    sent: Item
    """Members with key objects, as they were before ids took their place."""
    outcome: ItemOutcome | None = None
    """Outcome, if the caller sees outcomes; None before the end of the write."""
    changes: Sequence[MemberChange] = ()
    """Changed fields, in a preview."""

    def __init__(
        self,
        fields: Mapping[str, Any],
        index: int,
        operation: EntryOperation = UPSERT,
        *,
        is_by_id: bool = True,
        edit: Edit | None = None,
    ) -> None:
        dict.__init__(self, fields)
        self.index = index
        if operation is not UPSERT:
            self.operation, self.edit = operation, edit
            self.creates, self.deletes = operation is CREATE, operation is DELETE
            self.is_edited = operation is MERGE or operation is EDIT
        if not is_by_id:
            self.is_by_id = False
        if fields.get("state") == "deleted" and operation in _DELETING:
            self.deletes = operation is not MERGE or not is_by_id

    def lock(self, row: LockedRow) -> None:
        """Set the locked row of the entry's record."""
        self["id"], self.stored = row["id"], row
        self.was_deleted = row["state"] == "deleted"

    def set_fields(self, fields: Item) -> None:
        """Replace all fields but the ``id``."""
        record_id = self.get("id")
        self.clear()
        self.update(fields)
        if record_id is not None:
            self["id"] = record_id


DELETES: Final = attrgetter("deletes")
_DELETING: Final = (UPSERT, MERGE, IMPORT, DELETE)
"""Operations that delete a record by the state ``deleted``; a merge by id stores it."""

"""Plain records: master records whose scalar fields are columns, with generated statements.

Statements come from the schema and ``sql/plain_records.sql``. Those in ``sql/<name>.sql``, if there
is such a file, add to them or override them.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from service import schemas
from service.database.statements import Statement, load_bound
from service.files import SQL
from service.listing.page_sql import column_of
from service.queries import scalar_columns
from service.queries.master_record import MasterRecord

_UNDATED: Final = {
    "deleted": "state = 'deleted'",
    "moment": "",
    "end_column": "",
    "new_end": "",
    "end_assigned": "",
}
_DATED: Final = {
    "deleted": "state = 'deleted', end_date = now()",
    "moment": "cross join present",
    "end_column": ", end_date",
    "new_end": ", case when item.state = 'inactive' then now() end",
    "end_assigned": ", end_date = case when item.state = 'active' then null"
    " when item.state = stored.state then stored.end_date else present.moment end",
}
"""SQL parts by slot, for records with an ``end_date``: null while active.

Otherwise it is the time of the last change of state, or of the insert as inactive.
"""


class PlainRecord(MasterRecord):
    """Master record whose scalar fields are columns; state changes set ``endDate``, if any.

    Becoming active clears it.

    The resource's own SQL file may have parts of the generated statements: ``record`` overrides
    the rows of documents, to add counts, and ``last_record`` those of last documents; ``more``
    joins lists to the page as texts, in all forms.
    """

    shown: ClassVar[tuple[str, ...]] = ()
    """Fields that documents of other records show: an update that changes one fans out."""
    counted_by: ClassVar[Mapping[str, str]] = {}
    """Collections whose documents count the live records of this one, by the referring field.

    Writes that change a count also report a change of the record that shows it.
    """

    def _load_statements(self) -> Mapping[str, Statement]:
        """Return the generated statements, overridden by those of the resource's own SQL file.

        Of ``delete`` and ``purge``, those are generated that ``deletes`` names.
        """
        has_file = (SQL / f"{self.name.replace('-', '_')}.sql").exists()
        own = dict(super()._load_statements()) if has_file else {}
        more = own.pop("more", None)
        is_dated = "endDate" in schemas.definition(self.name, "document").properties
        bound = load_bound(
            "plain_records",
            **self._scalar_slots(),
            **self._change_slots(),
            **(_DATED if is_dated else _UNDATED),
            table=self.table,
            more=more.text if more else "",
            deletion_shows=str("state" in self.shown).lower(),
        )
        shape, record, present = (bound.pop(name) for name in ("shape", "record", "present"))
        bound["update"] = bound["update"].bind(present=f"{present.text}\n" if is_dated else "")
        shapes = [
            ("documents", "document", own.pop("record", record), self._late_columns),
            ("writables", "writable", record, ()),
        ]
        if "last_record" in own:
            last = own.pop("last_record")
            shapes.append(("last_documents", "document", last, self._late_columns))
        for name, form, rows, late in shapes:
            rendered = scalar_columns.document_sql(self.name, form, late)
            bound[name] = shape.bind(record=rows.text, rendered=rendered)
        for name in {"delete", "purge"}.difference(self.deletes):
            del bound[name]
        return {**bound, **own}

    def _change_slots(self) -> dict[str, str]:
        """Return the SQL parts of inserts, updates and deletes that report changes of others."""
        return {
            "shows": _differs([column_of(name) for name in self.shown]),
            "counted": "".join(
                f', {column_of(name)} as "{collection}.{name}"'
                for name, collection in self.counted_by.items()
            ),
            "counted_anew": "".join(
                _counted_anew(column_of(name), f"{collection}.{name}")
                for name, collection in self.counted_by.items()
            ),
        }


def _differs(columns: list[str]) -> str:
    """Return the SQL condition that an update changed any of the columns; false for none."""
    if not columns:
        return "false"
    stored, before = (
        ", ".join(f"{of}.{column}" for column in columns) for of in ("stored", "before")
    )
    return f"row({stored}) is distinct from row({before})"


def _counted_anew(column: str, target: str) -> str:
    """Return the SQL columns with the records whose count an update changes, or null.

    They are the former and the new reference. A count changes if the reference does, or if the
    record is deleted or restored.
    """
    moved = (
        f"(stored.{column}, stored.state = 'deleted')"
        f" is distinct from (before.{column}, before.state = 'deleted')"
    )
    return "".join(
        f", case when {of}.state <> 'deleted' and {moved} then {of}.{column} end"
        f' as "{target}.{of}"'
        for of in ("before", "stored")
    )

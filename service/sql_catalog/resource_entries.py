"""Catalog entries of a resource: lists, reads, locks, checks, writes and fan-out."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final, TypeVar

from service.database.statements import Statement
from service.limits import MAX_BATCH_BYTES, MAX_PAGE_BYTES
from service.listing.page_sql import batch_page, column_of
from service.queries.change_feed import FAN_OUT
from service.queries.links import Links, stored_text
from service.queries.master_record import MasterRecord
from service.queries.parts import RecordPart
from service.queries.reads import owned_by_any_text
from service.queries.references import Reference
from service.queries.rendering import batch_text, json_text
from service.queries.resource import Resource
from service.queries.usage import uses_text
from service.queries.writable_resource import WritableResource
from service.resources.associations import Association
from service.resources.colors import Colors
from service.resources.registry import CHANGES
from service.sql_catalog.entry import CatalogEntry, statement_entry
from service.sql_catalog.list_entries import ORGANIZATION, list_entries, path_parameters

_Constant = TypeVar("_Constant")
_IDS: Final = (ORGANIZATION, "ids")
_FORMS: Final = ("documents", "writables", "last_documents")
"""Statements whose page is a slot."""


def entries_of(resource: Resource) -> Iterator[CatalogEntry]:
    """Yield the statements of a resource: lists and reads, locks, checks, writes, fan-out.

    Texts of statements that a write plan executes are wrapped as the plan sends them
    (``json_text``).
    """
    if "documents" in resource.statements:
        yield from list_entries(resource)
        yield from _read_entries(resource)
    if resource.foreign_is_forbidden and resource.table:
        text = owned_by_any_text(resource.table)
        yield CatalogEntry("foreign", "Find ids that other organizations own.", ("ids",), text)
    if isinstance(resource, WritableResource):
        yield from _lock_entries(resource)
    if isinstance(resource, MasterRecord | RecordPart):
        yield from _reference_entries(resource)
    writes = list[CatalogEntry]()
    is_written = isinstance(resource, MasterRecord | RecordPart)
    for entry in _own_entries(resource):
        is_planned = entry.name.startswith("tell_") or entry.name in _written_names(resource)
        if is_written and (is_planned or "returning " in entry.text):
            writes.append(replace(entry, text=json_text(entry.text)))
        else:
            yield entry
    if isinstance(resource, MasterRecord):
        yield from _link_entries(resource)
        for part, text in resource.filled_parts.items():
            purpose = f"Find deleted and restored records with {part}, for the change feed."
            yield CatalogEntry(f"with_{part}", purpose, _IDS, json_text(text))
    yield from writes
    yield from fan_out_entries(resource.shown_in)


def fan_out_entries(statements: Mapping[str, Statement]) -> Iterator[CatalogEntry]:
    """Yield the statements that find the records which show changed ones, by collection."""
    for collection, statement in statements.items():
        _, _, name = statement.name.rpartition(".")
        purpose = f"Find the {collection} that show changed records, for the change feed."
        yield CatalogEntry(
            name, purpose, FAN_OUT.parameters or (), FAN_OUT.fill(shown=statement.text)
        )


def _read_entries(resource: Resource) -> Iterator[CatalogEntry]:
    """Yield reads by id, which writes also use to render their response, and by path key."""
    names = [*resource.parents, resource.key]
    for name, lookup in resource.key_lookups.items():
        yield CatalogEntry(
            f"{column_of(name)}_by_key",
            f"Find the record that a path names by its own key, {lookup.field}.",
            (ORGANIZATION, "key", *map(column_of, names[: names.index(name)])),
            lookup.text,
        )
    parameters = (ORGANIZATION, *path_parameters(resource), "id")
    yield CatalogEntry(
        "read",
        "Read a document.",
        parameters,
        _batch(resource, "documents"),
        dict(_read_variants(resource)),
    )
    forms = {
        "writables": ("read_writable", "Read a writable form."),
        "last_documents": ("read_last", "Read the last document of a record before its delete."),
    }
    for form, (name, purpose) in forms.items():
        if form in resource.statements:
            variants = (
                {} if isinstance(resource, RecordPart) else {_SEVERAL: _batch(resource, form, 2)}
            )
            yield CatalogEntry(name, purpose, parameters, _batch(resource, form), variants)


_SEVERAL: Final = "Several records"


def _read_variants(resource: Resource) -> Iterator[tuple[str, str]]:
    if not isinstance(resource, WritableResource) or isinstance(resource, RecordPart):
        return
    yield _SEVERAL, _batch(resource, "documents", 2)
    if resource.collection in CHANGES.resources:
        for case, count in (("one record", 1), ("several records", 2)):
            page = batch_page(1, [*range(count)], listed=resource.listed)
            text = batch_text(resource.statements["documents"], page.text, MAX_PAGE_BYTES)
            yield f"Change feed with documents, {case}", text


def _batch(resource: Resource, form: str, count: int = 1) -> str:
    """Return the text that renders a form of ``count`` records: one, or any number above."""
    page = batch_page(1 + len(resource.parents), [*range(count)])
    return batch_text(resource.statements[form], page.text, MAX_BATCH_BYTES)


def _lock_entries(resource: WritableResource) -> Iterator[CatalogEntry]:
    """Yield the locks of records, by id and by own key."""
    weak, strong = "for no key update", "for update"
    deleting = "If an item deletes its record"
    yield CatalogEntry(
        "lock_by_id",
        "Lock the records of a write, by id, in the order of the ids.",
        (*_IDS, *path_parameters(resource)),
        resource.lock_text(weak),
        {deleting: resource.lock_text(strong)} if isinstance(resource, MasterRecord) else {},
    )
    if isinstance(resource, MasterRecord) and resource.own_key:
        within = ("parent_ids",) if resource.own_key_within else ()
        yield CatalogEntry(
            "lock_by_key",
            f"Lock the records of a write that names them by own key, {resource.own_key}.",
            (ORGANIZATION, "keys", *within),
            resource.lock_by_key_text(weak),
            {deleting: resource.lock_by_key_text(strong)},
        )


def _reference_entries(resource: MasterRecord | RecordPart) -> Iterator[CatalogEntry]:
    """Yield the locks of referenced records, and the count of records that refer to deletes."""
    for reference in dict.fromkeys((*resource.references, *_constants(resource, Reference))):
        purpose = f"Lock the records that {reference.field} refers to."
        yield CatalogEntry(f"references_of_{reference.field}", purpose, _IDS, reference.text)
    for association in _constants(resource, Association):
        entry = statement_entry(association.statements["find"])
        yield CatalogEntry(
            f"references_of_{association.field}", entry.purpose, entry.parameters, entry.text
        )
    if not isinstance(resource, RecordPart) and resource.uses:
        purpose = "Count the live records that refer to the records to delete."
        yield CatalogEntry("uses", purpose, _IDS, uses_text(resource.uses))


def _link_entries(resource: MasterRecord) -> Iterator[CatalogEntry]:
    """Yield the statements of link tables."""
    links = [
        *_constants(resource, Links),
        *(association.links for association in _constants(resource, Association)),
    ]
    if not links:
        return
    # Colors read their links to languages only with the multiple-language feature.
    without_feature = (
        {"Without the feature": stored_text(*links[:-1])} if isinstance(resource, Colors) else {}
    )
    yield CatalogEntry(
        "stored_links", "Read the stored links.", _IDS, stored_text(*links), without_feature
    )
    for table in links:
        for name, purpose in (("remove", "Delete links."), ("add", "Insert links.")):
            statement = table.statements[name]
            yield CatalogEntry(
                f"{name}_{table.table}",
                purpose,
                statement.parameters or (),
                json_text(statement.text),
            )


def _constants(resource: Resource, kind: type[_Constant]) -> list[_Constant]:
    """Return the constants of a kind in the modules of a resource's class and its base classes.

    Only names of a module count: a constant within a class is not found.
    """
    modules = dict.fromkeys(sys.modules[class_.__module__] for class_ in type(resource).__mro__)
    values = (value for module in modules for value in vars(module).values())
    return [value for value in values if isinstance(value, kind)]


def _written_names(resource: Resource) -> tuple[str, ...]:
    """Return the names of the statements that write records, in their order; () for parts."""
    if not isinstance(resource, MasterRecord):
        return ()
    return (*resource.deletes, *resource.updates, *resource.inserts, *resource.children)


def _own_entries(resource: Resource) -> Iterator[CatalogEntry]:
    """Yield the statements that are sent as they are loaded: others first, then those of writes."""
    order = _written_names(resource)
    # The latter has an entry by path parameter.
    unused = {"lock", "size_by_name"}
    unused |= set() if resource.parents else {"unknown_parent"}
    if isinstance(resource, MasterRecord):
        unused |= {"delete"}.difference(resource.deletes)
    for name, statement in resource.statements.items():
        if name not in order and name not in unused and _is_sent_alone(name, statement):
            yield statement_entry(statement)
    for name in dict.fromkeys(order):
        if name in resource.statements:
            yield statement_entry(resource.statements[name])


def _is_sent_alone(name: str, statement: Statement) -> bool:
    """Return whether a statement is sent by itself, and is neither a fragment nor composed."""
    is_composed = name in _FORMS or name.startswith("shown_in_")
    return statement.parameters is not None and not is_composed

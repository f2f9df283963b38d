"""Before images: writable forms of the records that a statement changes, as they were before it.

A statement and the forms in it see one snapshot: the forms are those before the statement, and of
the rows that it returns, so that nothing is read of unchanged records. The first image of a record
in a transaction is that before its change. Column names of statements say whose forms change:

- ``id``: the record of the statement's own collection, as for the change recorder.
- ``<collection>.form`` or ``<collection>.form <operation>``: a record that a side effect changes.
- ``part`` and ``<collection>.part``: which part of it, of parts that an owner has several of.

Source: contract, History.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

import asyncpg
import orjson

from service.batches.batch import Batch
from service.batches.change_recorder import BoundStatement, Image, ImageKey, WritePlan
from service.database.statements import SHARED, load
from service.records.parts import RecordPart
from service.records.rendering import json_text
from service.records.writable_resource import WritableResource

_SIDE_EFFECT: Final = re.compile(r'"(([a-z-]+)\.form(?: [a-z]+)?)"')
_RETURNED: Final = re.compile(r"\breturning\b(?!.*\breturning\b)(.*)", re.DOTALL)
_OWN_ID: Final = re.compile(r"(?:\bas|[\s,.])\s*id\b(?! as)")
_SELECTED_ID: Final = re.compile(r"\bas id\b|\bselect id\b")
_OWN_PART: Final = re.compile(r"\bas part\b")
_INSERT_INTO: Final = "insert into "
_SEPARATOR: Final = "\x1e"
"""Character between forms in a parameter; JSON escapes it."""
_INSERT: Final = load("record_versions")["insert"].text

_FORMS: Final[dict[str, WritableResource]] = {}
"""Master records and parts, by their name in the change feed."""


class _Subject(NamedTuple):
    """Records whose forms a statement changes: their collection, and the columns of their ids."""

    collection: str
    column: str
    part_column: str


def register(resources: Iterable[WritableResource]) -> None:
    """Add the master records and parts whose forms are kept."""
    _FORMS.update((resource.feed_name, resource) for resource in resources)


def has_forms(resource: WritableResource) -> bool:
    """Return whether forms of the resource are kept, unless a setting excepts it."""
    return _FORMS.get(resource.feed_name) is resource


def keeps(batch: Batch, resource: WritableResource) -> bool:
    """Return whether the transaction keeps versions of the resource's records."""
    excepted = batch.connection.history
    return excepted is not None and resource.feed_name not in excepted


def expanded(batch: Batch, plan: WritePlan) -> WritePlan:
    """Return the plan with statements ahead of inserts that name the records which these change.

    A cluster may execute an insert before the rest of its statement, so images come ahead of it.
    """
    if batch.connection.history is None or not any(each.before for each in plan):
        return plan
    return [
        statement
        for each in plan
        for statement in (BoundStatement(each.before, each.parameters), each)
        if statement.text
    ]


def text_of(resource: WritableResource, batch: Batch, text: str) -> str:
    """Return the text of a write statement with before images; inserts have none.

    Its row is read by :func:`collect`.
    """
    excepted = batch.connection.history
    if excepted is None or text.startswith(_INSERT_INTO):
        return json_text(text)
    return _imaged_text(text, resource.feed_name, excepted)


def collect(
    resource: WritableResource, batch: Batch, text: str, row: asyncpg.Record
) -> list[dict[str, Any]]:
    """Return the rows of a statement; add its images to those of the batch's transaction."""
    numbers, [json, *forms] = row
    excepted = batch.connection.history
    if forms and excepted is not None:
        subjects = _subjects(text, resource.feed_name, excepted)
        for index, form in enumerate(forms):
            subject, record_id, part_id, version = numbers[index :: len(forms)]
            collection = subjects[subject].collection
            image = Image(version, form.decode() if form else _missing_form(collection))
            batch.transaction.images.setdefault((collection, record_id, part_id), image)
    return orjson.loads(json) if json else []


def forms_text(resource: WritableResource) -> str:
    """Return the statement of the forms of the records ``$2``, under their negative ids.

    Each begins with the number of its version.
    """
    return SHARED["forms_of_locked"].fill(
        forms=_forms(resource, SHARED["sent_ids"].text),
        version=_next_version(resource.feed_name, "form.page_order", "0"),
    )


async def insert(batch: Batch, images: Mapping[ImageKey, Image], change_id: int) -> None:
    """Insert images as versions before a change, with the next statement."""
    keys = sorted(images)
    collections, record_ids, part_ids = map(list, zip(*keys, strict=True))
    names = "{" + ",".join(collections) + "}"
    versions = [images[key].version for key in keys]
    forms = _SEPARATOR.join(images[key].form or "" for key in keys)
    parameters = (change_id, names, record_ids, part_ids, versions, forms)
    await batch.connection.defer(_INSERT, batch.caller.organization_id, *parameters)


@cache
def _imaged_text(text: str, feed_name: str, excepted: frozenset[str]) -> str:
    subjects = _subjects(text, feed_name, excepted)
    if not subjects:
        return json_text(text)
    images = (_image(str(number), subject) for number, subject in enumerate(subjects))
    return SHARED["rows_and_images"].fill(statement=text, images="\nunion all\n".join(images))


@cache
def _subjects(text: str, feed_name: str, excepted: frozenset[str]) -> tuple[_Subject, ...]:
    """Return the records whose forms a statement changes, by its columns."""
    return tuple(
        subject
        for subject in _all_subjects(text, feed_name)
        if subject.collection in _FORMS and subject.collection not in excepted
    )


def _all_subjects(text: str, feed_name: str) -> Iterator[_Subject]:
    returned = _RETURNED.search(text)
    if _OWN_ID.search(returned[1]) if returned else _SELECTED_ID.search(text):
        yield _Subject(feed_name, "id", "part" if _OWN_PART.search(text) else "")
    for column, collection in dict.fromkeys(_SIDE_EFFECT.findall(text)):
        part_column = f"{collection}.part"
        is_chosen = f'"{part_column}"' in text and _has_several_parts(collection)
        yield _Subject(collection, column, part_column if is_chosen else "")


def _image(number: str, subject: _Subject) -> str:
    """Return the SQL of the images of a statement's subject."""
    name, column, part_column = subject
    ids = SHARED["returned_ids"].fill(column=column)
    forms = _forms(_FORMS[name], ids)
    if not _has_several_parts(name):
        version = _next_version(name, "form.page_order", "0")
        return SHARED["images"].fill(number=number, forms=forms, version=version)
    version = _next_version(name, "part.record_id", "part.part_id")
    if not part_column:
        return SHARED["images_of_parts"].fill(number=number, forms=forms, version=version)
    return SHARED["images_of_chosen"].fill(
        number=number, forms=forms, version=version, column=column, part_column=part_column
    )


def _forms(resource: WritableResource, ids: str) -> str:
    """Return the SQL of the forms of records, or of all parts of owners."""
    if isinstance(resource, RecordPart) and resource.has_several_parts:
        return resource.images(ids)
    return resource.statements["writables"].fill(page=SHARED["images_page"].fill(ids=ids))


def _next_version(collection: str, record_id: str, part_id: str) -> str:
    return SHARED["next_version"].fill(collection=collection, record_id=record_id, part_id=part_id)


def _has_several_parts(collection: str) -> bool:
    resource = _FORMS[collection]
    return isinstance(resource, RecordPart) and resource.has_several_parts


def _missing_form(collection: str) -> str | None:
    resource = _FORMS[collection]
    return resource.missing_form if isinstance(resource, RecordPart) else None

"""Transferable parts: parts of records, each a member of its record's line in the files."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from service import schemas
from service.client import Client, Detail
from service.queries.parts import RecordPart
from service.resources.registry import MEASUREMENTS, PARTS
from service.schemas.validation import Validator
from service.transfer import measured_values
from service.transfer.fields import Field, part_fields
from service.transfer.forms import check_schema


@dataclass(frozen=True, eq=False)
class TransferPart:
    """Part that is read and replaced at a path below its record."""

    name: str
    """Name of the schema."""
    collection: str
    segment: str
    """Last segment of the path: ``measurement-chart``."""
    form: Validator
    """Validator of the service for replace requests."""

    @property
    def path(self) -> str:
        """Owner of the ids of the part's objects: ``size-ranges/sizes``."""
        return f"{self.collection}/{self.segment}"

    @cached_property
    def member(self) -> str:
        """Name of the member in a line: ``measurementChart``."""
        return re.sub("-(.)", lambda match: match[1].upper(), self.segment)

    @cached_property
    def fields(self) -> Field:
        """Fields of a replace request."""
        return part_fields(schemas.definition(self.name, "replace"), self.path)

    def structure_errors(self, document: dict[str, Any]) -> list[Detail]:  # noqa: ARG002
        """Return the errors that prevent a line's part from being sent at all."""
        return []

    def schema_errors(self, part: Any) -> list[Detail]:
        """Return the errors of a part by the published schema."""
        return check_schema(self.form, part)

    async def dry_run(self, client: Client, record_id: Any, part: Any) -> bool:
        """Dry-run a replacement. Return whether all of it was checked. Raise FailureError."""
        await client.part(self.collection, record_id, self.segment).dry_run(part)
        return True

    async def substitute_id(self, client: Client) -> Any:
        """Return the id of any record to check the part of a new record against, or None."""
        async for document in client.collection(self.collection).records(page_size=1):
            return document["id"]
        return None

    def is_empty(self, document: dict[str, Any]) -> bool:
        """Return whether the record's document shows that the part is empty."""
        shown = schemas.load()[self.name].get("x-shown-as")
        return shown is not None and not document[shown]

    async def read(self, client: Client, document: dict[str, Any]) -> dict[str, Any]:
        """Return the members that the part adds to its record's line."""
        if self.is_empty(document):
            return {}
        part = client.part(self.collection, document["id"], self.segment)
        return {self.member: (await part.read(writable=True)).data}

    async def replace(self, client: Client, record_id: Any, part: Any) -> Any:
        """Replace the part. Return its new content."""
        return (await client.part(self.collection, record_id, self.segment).replace(part)).data


@dataclass(frozen=True, eq=False)
class MeasuredValues(TransferPart):
    """Measured values of a sample request: one part in the service for each requested size."""

    @cached_property
    def fields(self) -> Field:
        """Fields of a list of sizes."""
        return measured_values.fields(schemas.definition(self.name, "replace"))

    def structure_errors(self, document: dict[str, Any]) -> list[Detail]:
        """Return an error for each size without an id or without requested samples."""
        return measured_values.structure_errors(document, self.member)

    def schema_errors(self, part: Any) -> list[Detail]:
        """Return the errors of all sizes by the published schema."""
        return measured_values.schema_errors(self.form, part)

    async def dry_run(self, client: Client, record_id: Any, part: Any) -> bool:
        """Dry-run the sizes that the request has. Return whether it has all. Raise FailureError."""
        return await measured_values.dry_run(client, record_id, part)

    async def substitute_id(self, client: Client) -> Any:  # noqa: ARG002
        """Return None: another request has other sizes and lines."""
        return None

    async def read(self, client: Client, document: dict[str, Any]) -> dict[str, Any]:
        """Return the measured values, and the values that were requested with the samples."""
        return await measured_values.read(client, document)

    async def replace(self, client: Client, record_id: Any, part: Any) -> Any:
        """Replace the measured values of each size. Return None: their objects have no own ids."""
        return await measured_values.replace(client, record_id, part)


def parts_of(collection: str) -> Iterator[TransferPart]:
    """Yield the transferable parts of a collection's records."""
    for part in PARTS:
        if part.owner.name == collection:
            yield _transfer_part(part)


def _transfer_part(part: RecordPart) -> TransferPart:
    if part is MEASUREMENTS:
        return MeasuredValues(part.name, part.owner.name, part.name, part.replace_form)
    segment = part.below.strip("/")
    return TransferPart(part.name, part.owner.name, segment, part.replace_form)

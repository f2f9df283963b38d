"""Parts of records, which have a path of their own and travel in their record's line."""

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
from service.transfer.forms import by_schema


@dataclass(frozen=True, eq=False)
class TransferPart:
    """A part that is read and replaced below its record."""

    name: str
    """Of its schema."""
    collection: str
    below: str
    """The last step of its path: ``measurement-chart``."""
    form: Validator
    """What the service holds a replace against before it looks at the data."""

    @property
    def place(self) -> str:
        """What the ids of its objects belong to: ``size-ranges/sizes``."""
        return f"{self.collection}/{self.below}"

    @cached_property
    def member(self) -> str:
        """What it is called in a line: ``measurementChart``."""
        return re.sub("-(.)", lambda found: found[1].upper(), self.below)

    @cached_property
    def fields(self) -> Field:
        """Every field that a replace takes."""
        return part_fields(schemas.definition(self.name, "replace"), self.place)

    def faults(self, document: dict[str, Any]) -> list[Detail]:  # noqa: ARG002
        """What is so wrong with the part of a line that it cannot be sent."""
        return []

    def failures(self, part: Any) -> list[Detail]:
        """Return what is wrong with a part by the published schema."""
        return by_schema(self.form, part)

    async def rehearse(self, client: Client, record_id: Any, part: Any) -> bool:
        """Let the service check a replacement; raises FailureError. Return whether it was whole."""
        await client.part(self.collection, record_id, self.below).rehearse(part)
        return True

    async def stand_in(self, client: Client) -> Any:
        """Return the id of a record that the part of a new one can be checked against."""
        async for document in client.collection(self.collection).records(page_size=1):
            return document["id"]
        return None

    def is_empty(self, document: dict[str, Any]) -> bool:
        """Whether its record's document shows that there is nothing of it."""
        shown = schemas.load()[self.name].get("x-shown-as")
        return shown is not None and not document[shown]

    async def read(self, client: Client, document: dict[str, Any]) -> dict[str, Any]:
        """What the line of a record has of it."""
        if self.is_empty(document):
            return {}
        part = client.part(self.collection, document["id"], self.below)
        return {self.member: (await part.read(writable=True)).data}

    async def replace(self, client: Client, record_id: Any, part: Any) -> Any:
        """The part as it is after its replacement."""
        return (await client.part(self.collection, record_id, self.below).replace(part)).data


@dataclass(frozen=True, eq=False)
class MeasuredValues(TransferPart):
    """What was measured on the samples of a request: a part for each requested size."""

    @cached_property
    def fields(self) -> Field:
        """A list of sizes."""
        return measured_values.fields(schemas.definition(self.name, "replace"))

    def faults(self, document: dict[str, Any]) -> list[Detail]:
        """Sizes that are not named, for their ids are in the path, or that are not requested."""
        return measured_values.faults(document, self.member)

    def failures(self, part: Any) -> list[Detail]:
        """Return what is wrong with any of the sizes."""
        return measured_values.failures(self.form, part)

    async def rehearse(self, client: Client, record_id: Any, part: Any) -> bool:
        """Let the service check the values of the sizes that it has; raises FailureError."""
        return await measured_values.rehearse(client, record_id, part)

    async def stand_in(self, client: Client) -> Any:  # noqa: ARG002
        """Return None: another request has other sizes and lines."""
        return None

    async def read(self, client: Client, document: dict[str, Any]) -> dict[str, Any]:
        """The values, and those that were frozen when the samples were requested."""
        return await measured_values.read(client, document)

    async def replace(self, client: Client, record_id: Any, part: Any) -> Any:
        """Replace what was measured in each of the sizes."""
        return await measured_values.replace(client, record_id, part)


def parts_of(collection: str) -> Iterator[TransferPart]:
    """The parts of a collection's records."""
    for part in PARTS:
        if part.owner.name == collection:
            yield _travelling(part)


def _travelling(part: RecordPart) -> TransferPart:
    if part is MEASUREMENTS:
        return MeasuredValues(part.name, part.owner.name, part.name, part.replace_form)
    below = part.below.strip("/")
    return TransferPart(part.name, part.owner.name, below, part.replace_form)

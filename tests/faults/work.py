"""Workload of the faults: valid bulk writes of every master record and transactions, in turn."""

from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import urlencode

import orjson

from service.records.master_record import MasterRecord
from service.resources.registry import MASTER_RECORDS
from service.routes import collection_path
from tests.support import generate, random_sets
from tests.support.api import Answer, Api

SIZE = 20
STEPS = 4
"""Number of batches of one resource before the next has its turn."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Bulk write, with the key that makes it safe to send again."""

    method: str
    path: str
    body: bytes | None
    key: str
    """Empty for a write without an ``Idempotency-Key``."""

    async def send(self, api: Api) -> Answer:
        """Send the batch and return the response; raise aiohttp.ClientError if there is none."""
        headers = {"Idempotency-Key": self.key} if self.key else {}
        return await api.call(self.method, self.path, self.body, headers=headers)


class Workload:
    """Batches of each resource in turn: create, replace all and delete one, merge, delete the rest.

    Half of the records that have own keys are created by them; those without a state are deleted
    together. After all resources follow as many transactions over all collections. With
    ``only_transactions`` there are no others.
    """

    def __init__(
        self, references: generate.References, random: Random, *, only_transactions: bool = False
    ) -> None:
        self._references = references
        self._random = random
        self._only_transactions = only_transactions
        self.statements = 150 if only_transactions else 12
        """Number of statements of a batch, about."""
        self._made = 0
        self._records: list[dict[str, Any]] = []

    @property
    def _resource(self) -> MasterRecord:
        return MASTER_RECORDS[self._made // STEPS % (len(MASTER_RECORDS) + 1)]

    def next(self) -> Batch:
        """Return the next batch, after `learn` was called for the last one."""
        if self._only_transactions or self._made // STEPS % (len(MASTER_RECORDS) + 1) == len(
            MASTER_RECORDS
        ):
            entries = random_sets.every(self._random)
            self._random.shuffle(entries)
            return self._batch("POST", "/api/transaction", entries)
        root = collection_path(self._resource)
        step = self._made % STEPS
        if step == 0:
            items = [self._item("create") for _ in range(SIZE)]
            if self._resource.own_key and self._random.random() < 0.5:
                return self._by_key(root, items)
            return self._batch("POST", root, items)
        if step == 1:
            items = [self._item("replace") | {"id": each["id"]} for each in self._records]
            last = generate.with_state(self._resource, items.pop(), "deleted")
            return self._batch("PUT", root, [*items, last])
        if step == 2:
            changes = [
                generate.altered(self._resource, each, self._references) | {"id": each["id"]}
                for each in self._records[:-1]
            ]
            return self._batch("PATCH", root, changes)
        ids = [("ids", each["id"]) for each in self._records]
        return self._batch("DELETE", f"{root}?{urlencode(ids)}", None)

    def creation(self) -> Batch:
        """Return a batch beside the sequence: new colors, whose name is the batch's key."""
        key = self._key()
        item = {"name": key, "colorGroupIds": list(self._references["color-groups"][:3])}
        return Batch("POST", "/api/colors", orjson.dumps([item] * SIZE), key)

    def learn(self, answer: Answer) -> None:
        """Go on from the last batch, whose success this is."""
        self._records = answer.data
        self._made += 1

    def _by_key(self, root: str, items: list[dict[str, Any]]) -> Batch:
        """Return a batch of the same records, named by new keys; those of relations are new ids."""
        key, mark = str(self._resource.own_key), self._key()
        if key not in {*generate.REFERRED, "barcode"}:
            items = [item | {key: f"{mark} {number}"} for number, item in enumerate(items)]
        named = [generate.with_state(self._resource, item, "active") for item in items]
        return self._batch("PUT", f"{root}?match={key}", named)

    def _item(self, form: str) -> dict[str, Any]:
        return generate.body(self._resource, form, self._references, self._random)

    def _batch(self, method: str, path: str, items: list[dict[str, Any]] | None) -> Batch:
        body = None if items is None else orjson.dumps(items)
        return Batch(method, path, body, self._key())

    def _key(self) -> str:
        return f"key-{self._random.getrandbits(96):024x}"

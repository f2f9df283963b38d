"""Bulk writes that are kept until their answers are, and asked again where nobody knows."""

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

import orjson

from service.client import Client, FailureError, Outcome
from service.client.collections import How
from service.transfer.known import Known

_MAY_BE_DONE: Final = 500
"""From this status on nobody knows."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A bulk write, as it is kept until its answer is."""

    collection: str
    how: How
    match: str | None
    items: list[dict[str, Any]]
    names: list[str]
    digests: list[str]
    """Of the lines, in hexadecimal."""

    def key(self, place: str) -> str:
        """Its ``Idempotency-Key``, from where it stands and what it says."""
        said = orjson.dumps([place, self.collection, self.how, self.match, self.items])
        return f"import-{blake2b(said, digest_size=20).hexdigest()}"


async def ask(
    client: Client, known: Known, asked: Asked, key: str, *, dry_run: bool = False
) -> list[Outcome]:
    """Send a request; it is kept until the caller has kept its outcomes."""
    if not dry_run:
        known.begin(key, asked)
    try:
        return await client.collection(asked.collection).write(
            asked.items,
            asked.how,
            match=asked.match,
            skip=True,
            dry_run=dry_run,
            key=key,
        )
    except FailureError as error:
        if error.status < _MAY_BE_DONE:
            known.forget(key)
        raise


async def settle(client: Client, known: Known) -> None:
    """Ask again what an interrupted import had asked, and keep what became of it."""
    for key, request in known.unanswered():
        asked = Asked(**request)
        outcomes = await ask(client, known, asked, key)
        named = zip(asked.names, outcomes, asked.digests, strict=True)
        kept = [
            # Without the digest a line is sent again, and so are the names of what it holds.
            (name, outcome.id, bytes.fromhex(digest) if _is_flat(item) else None)
            for (name, outcome, digest), item in zip(named, asked.items, strict=True)
            if outcome.id is not None and outcome.outcome != "failed"
        ]
        known.keep(asked.collection, kept, key)


def _is_flat(item: dict[str, Any]) -> bool:
    return not any(isinstance(value, list) and value for value in item.values())

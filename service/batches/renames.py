"""Renames: items with ``newKey``, which give their records another own key (contract, Own keys).

Within a request, keys move along chains: A becomes B while B becomes C. If a request is sent again,
its records are those that have the new keys: then a live record has the last key of the chain, and
none has the first one.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Final, TypeVar

NEW_KEY: Final = "newKey"
"""Member of an item with the own key that its record gets."""
_Key = TypeVar("_Key")


def stored_keys(
    keys: Sequence[_Key], new_keys: Sequence[_Key | None], live: Container[_Key]
) -> list[_Key | None]:
    """Return the own key by which to look for each item's live record, in item order.

    It is the item's key, or its new key if an earlier request has renamed the record. It is None
    for a rename without a live record, and for an item without a new key if the record with its key
    is that of another item, renamed earlier. ``keys`` and ``new_keys`` are those of the items, each
    once; ``live`` has the keys of live records.
    """
    current_keys: list[_Key | None] = [*keys]
    indexes, renamed = {key: index for index, key in enumerate(keys)}, set[_Key]()
    for start, new_key in enumerate(new_keys):
        if new_key is None or keys[start] in live:
            continue
        current_keys[start] = None
        chain = [*_chain(start, indexes, new_keys, live)]
        if new_keys[chain[-1]] in live:
            for index in chain:
                current_keys[index] = key = new_keys[index]
                renamed.update(() if key is None else (key,))
    # Another item that deletes the former record of such a key finds it deleted already.
    for index, key in enumerate(keys):
        if key in renamed and new_keys[index] is None:
            current_keys[index] = None
    return current_keys


def _chain(
    start: int, indexes: Mapping[_Key, int], new_keys: Sequence[_Key | None], live: Container[_Key]
) -> Iterator[int]:
    """Yield the item at ``start``, and each item that would make room for the one before it."""
    index: int | None = start
    while index is not None and (key := new_keys[index]) is not None:
        yield index
        index = indexes.get(key) if key in live else None

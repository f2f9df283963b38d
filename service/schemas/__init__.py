"""JSON Schemas of ``schemas/``: loading, derived forms, and validation of request bodies.

The package exports the names of ``definitions``; validators are in ``validation``.
"""

from service.schemas.definitions import (
    BASE,
    ResolvedSchema,
    Schema,
    definition,
    item_id,
    key_fields,
    load,
    reference,
    whole,
)

__all__ = [
    "BASE",
    "ResolvedSchema",
    "Schema",
    "definition",
    "item_id",
    "key_fields",
    "load",
    "reference",
    "whole",
]

"""The JSON Schemas of ``schemas/``, and what is wrong with a body by them."""

from service.schemas.definitions import (
    BASE,
    ResolvedSchema,
    Schema,
    definition,
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
    "key_fields",
    "load",
    "reference",
    "whole",
]

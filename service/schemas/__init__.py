"""The JSON Schemas of ``schemas/``, and what is wrong with a body by them."""

from service.schemas.definitions import (
    BASE,
    Located,
    Schema,
    definition,
    key_fields,
    load,
    reference,
    whole,
)

__all__ = [
    "BASE",
    "Located",
    "Schema",
    "definition",
    "key_fields",
    "load",
    "reference",
    "whole",
]

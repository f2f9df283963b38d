"""JSON Schemas of ``schemas/``: loading, derived forms, and validation of request bodies.

The package exports the names of ``definitions``; validators are in ``validation``.
"""

from service.schemas.definitions import BASE as BASE
from service.schemas.definitions import ResolvedSchema as ResolvedSchema
from service.schemas.definitions import Schema as Schema
from service.schemas.definitions import definition as definition
from service.schemas.definitions import item_id as item_id
from service.schemas.definitions import key_fields as key_fields
from service.schemas.definitions import load as load
from service.schemas.definitions import reference as reference
from service.schemas.definitions import table as table
from service.schemas.definitions import whole as whole

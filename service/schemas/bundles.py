"""Bundles: one JSON Schema document per resource that validates its bodies without other files.

A bundle has the definitions of the resource's schema file, the derived forms among them. Those of
other files that these refer to are embedded with their own ``$id``.
"""

from typing import Any

from service.schemas.definitions import BASE, Schema, excerpts, load, reference


def bundle(file: str) -> Schema:
    """Return the bundle of a schema file; raise KeyError if there is no such file."""
    home = f"{BASE}{file}.json"
    forms = load()[file]["$defs"]
    files = excerpts(reference(file, name) for name in forms)
    embedded = {
        url.removeprefix(BASE): {"$id": url, **_published(files[url])}
        for url in sorted(files)
        if url != home
    }
    own: Schema = _published(load()[file])
    return own | {"$defs": own["$defs"] | embedded}


def _published(schema: Any) -> Any:
    """Return a copy of a schema without the service's own keywords: strict validators refuse them.

    No field of a body begins as they do.
    """
    if isinstance(schema, list):
        return [_published(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _published(part) for key, part in schema.items() if not key.startswith("x-")}

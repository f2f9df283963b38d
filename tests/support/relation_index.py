"""Index of the relations, for docs/architecture.md: what a delete of a record does to others."""

from collections import defaultdict
from typing import Final

from service.records.relations import RELATIONS, OnDelete

_HEADINGS: Final = {
    OnDelete.REFUSE: "refused for",
    OnDelete.WITH: "deleted with it",
    OnDelete.HIDE: "hidden",
    OnDelete.CLEAR: "cleared",
    OnDelete.KEEP: "kept",
}


def relation_table() -> str:
    """Return the table of relations by target; languages are never deleted."""
    fields = defaultdict[str, dict[OnDelete, list[str]]](dict)
    for relation in RELATIONS:
        if relation.target != "languages":
            cell = fields[relation.target].setdefault(relation.on_delete, [])
            marks = "*" * relation.is_counted + "†" * bool(relation.shows)
            cell.append(f"`{relation.source}.{relation.field}`{marks}")
    rows = [
        [f"`{target}`", *(", ".join(cells.get(kind, ())) for kind in _HEADINGS)]
        for target, cells in sorted(fields.items())
    ]
    head = ["a delete of", *_HEADINGS.values()]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])

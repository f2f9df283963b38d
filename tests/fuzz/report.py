"""Report of the fuzz campaign: its tables, and its section of docs/reliability.md."""

from tests.fuzz.campaign import SEVERAL, Tally
from tests.support.reports import measured_on, table

_OPERATIONS = (
    "list", "read", "create", "replace", "patch", "delete",
    "bulk_replace", "bulk_patch", "bulk_delete",
)  # fmt: skip
_TEXT = """\
## Fuzz

Written by `make fuzz CASES={cases}` (seed {seed}, {seconds:.0f} s); `make test` runs a short
version. {total} requests were answered, {wrong}.

### Made up from the OpenAPI document

Schemathesis, as its own command, on `/openapi.json` with a valid key: every operation, right and
wrong requests, in its phases {phases}. **{documented}** cases; answered with a status, header, type
or body that the document does not describe, with a 5xx, or otherwise against one of its checks:
**{surprises}**. One check is off, `{unchecked}`: what only the database knows, and parameters that
exclude each other, stand in no schema.

### Injected faults

**{injected}** requests that are valid but for injected faults, one or several: bodies of every
write of every master record, made up or as the record is stored; patches; ids; headers; query
strings and cursors, also forged ones; bodies with a member twice; bytes that are no request, or
another one, whose answers name no software and repeat no key. In bulk some items break their schema
while others meet the database. The rows of each answer are exactly those of the injected faults
that no earlier check hides, with type and path, in the order of the request; status, code and the
numbers of a bulk failure are as the contract has them; the answer fits the OpenAPI document; and no
row of any table was written. A tenth comes from keys with fewer scopes, whose answers are those of
a model: 403, or what the key with all scopes gets. Two organizations take turns, one with the
optional features and one without, each against the other's ids. Answered otherwise: **{failures}**.

{routes}

Creates are of one record and of several. The faults (a request with several counts for each):

{kinds}

{measured_on}
"""


def routes(tally: Tally) -> str:
    """Return the table of cases by collection and operation."""
    names = list(dict.fromkeys(collection for collection, _ in sorted(tally.routes)))
    rows = [
        (name, *(str(tally.routes[name, operation] or "") for operation in _OPERATIONS))
        for name in names
    ]
    return table([("collection", *(name.replace("_", " ") for name in _OPERATIONS)), *rows])


def kinds(tally: Tally) -> str:
    """Return the table of cases by fault."""
    rows = [(name, str(count)) for name, count in sorted(tally.kinds.items()) if name != SEVERAL]
    return table([("fault", "cases"), *rows, (SEVERAL, str(tally.kinds[SEVERAL]))])


def section(tally: Tally, facts: dict[str, object], postgres: str) -> str:
    """Return the section; ``facts`` are further figures, ``postgres`` the server's version."""
    failures = len(tally.failures)
    right = not failures and not facts["surprises"]
    return _TEXT.format(
        wrong="every one as it has to be" if right else "**not every one as it has to be**",
        failures=f"{failures} kinds" if failures else 0,
        injected=tally.cases,
        routes=routes(tally),
        kinds=kinds(tally),
        measured_on=measured_on(postgres, "hypothesis", "schemathesis"),
        **facts,
    )

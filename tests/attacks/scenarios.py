"""Attack scenarios: each makes an unprotected service unavailable to everybody.

A strike goes on until it is stopped. Scale 1 is its full size; tests take a hundredth.
"""

import asyncio
import gzip
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from itertools import count, cycle, repeat
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode

import asyncpg
import orjson

from benchmarks.load import Request
from service.listing import cursor
from service.listing.operators import names_of
from service.listing.properties import Properties
from service.organizations.caller import compose, new_secret
from tests.attacks import caller_scenarios as callers
from tests.attacks import prepare
from tests.attacks import webhook_scenarios as webhooks
from tests.attacks.attacker import Attacker
from tests.attacks.edge_scenarios import EDGE
from tests.attacks.prepare import ATTACKER

Strike: TypeAlias = Callable[[Attacker], Awaitable[None]]
Prepare: TypeAlias = Callable[[asyncpg.Connection, float], Awaitable[dict[str, Any]]]

COLORS: Final = "/api/colors"
FIELDS: Final = "/api/style-custom-fields"
SUPPLIERS: Final = "/api/sub-suppliers"
PATCH: Final = "application/json-patch+json"
_BODY: Final = 8_000_000
"""Bytes of a body that is almost as long as allowed."""
_LARGE: Final = f"{SUPPLIERS}?sort[0].property=id&sort[0].order=desc&pageSize={{}}"
_GZIP: Final = ("Accept-Encoding: gzip",)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Attack scenario."""

    name: str
    title: str
    strike: Strike
    prepare: Prepare | None = None
    files: int | None = None
    """The limit on the service's open files."""
    runs_out_of_time: bool = False
    """Whether requests may exceed their time limit and be 503 (contract, Outages)."""


def scenarios() -> Iterator[Scenario]:
    """Yield every attack, in the order of the report."""
    yield Scenario("items", "6 bulk PUT of 930,000 items", items)
    yield Scenario("values", "6 custom fields with 8 MB of allowed values", values)
    yield Scenario("groups", "6 times 1,000 colors of 1,000 unknown groups", groups)
    yield Scenario("copies", "8 patches whose copies double", copies, prepare.color)
    slow = "16 lists of 50 `contains` in 10⁶ records"
    yield Scenario("filters", slow, filters, prepare.colors, runs_out_of_time=True)
    yield Scenario("gone", "the same, from callers that hang up", gone, prepare.colors)
    yield Scenario("locks", "4 bulk creates and 16 patches in line", locks, prepare.field)
    yield Scenario("bombs", "16 gzip bombs of 400 MB, and bodies of empty members", bombs)
    yield Scenario("broken", "16 uploads of 7.9 MB broken off", broken)
    yield Scenario("stalled", "200 bodies that stall", stalled)
    yield Scenario("conditions", "16 lists of ever new conditions", conditions)
    yield Scenario("ids", "16 lists of ever new long `in`", ids)
    yield Scenario("page", "2 pages of 40 records of 6 MB", page, prepare.suppliers)
    yield Scenario("untaken", "60 answers of 12 MB that nobody reads", untaken, prepare.suppliers)
    yield Scenario("stored", "2 bulk deletes kept for their keys", stored, prepare.fields)
    yield Scenario("idle", "2,300 idle connections, 1,024 files", idle, files=1024)
    yield Scenario("heads", "2,300 heads that do not end", heads)
    yield Scenario("document", "300 `/openapi.json` that nobody reads", document)
    yield Scenario("metrics", "64 callers of `/metrics`", metrics)
    yield Scenario("published", "64 callers of `/openapi.json`", published)
    yield Scenario("readiness", "64 callers of `/readyz`", readiness)
    yield Scenario("keys", "64 callers with made-up keys", keys)
    yield Scenario("log", "32 callers with long paths and headers", log)
    yield Scenario("cursors", "16 callers with forged cursors", cursors)
    yield from (Scenario(*each) for each in EDGE)
    yield from _of_callers()


def _of_callers() -> Iterator[Scenario]:
    """Yield attacks by callers: their keys, their long polls, their number."""
    made = callers.organizations
    yield Scenario("followers", "2,300 waiting readers", callers.followers, made)
    yield Scenario("revoked", "50 readers that outlive their key", callers.revoked, made)
    yield Scenario("secrets", "64 callers with wrong secrets", callers.wrong_secrets)
    yield Scenario("malformed", "400 callers with malformed keys", callers.malformed)
    yield Scenario("light", "40 bulk writers among 200 organizations", callers.light, made)
    yield Scenario("refused", "the same, whose items fail", callers.refused, made)
    yield Scenario("refused-bulk", "6 bulk POST of 8 MB without names", callers.refused_bulk)
    yield Scenario("refused-values", "6 bulk POST of wrong values", callers.refused_values)
    lists = "16 callers with a supplier's key"
    yield Scenario("scoped", lists, callers.scoped, callers.restricted)
    pit = "1,000 webhooks to a tar pit"
    yield Scenario("webhooks", pit, webhooks.tar_pit, webhooks.subscriptions)


async def items(attacker: Attacker) -> None:
    """Send items that must be counted before any is parsed."""
    body = _list(b'{"id":1}', attacker.some(930_000))
    await attacker.send(6, repeat(attacker.message("PUT", COLORS, body)))


async def values(attacker: Attacker) -> None:
    """Send an item whose lists must be counted before any member is parsed."""
    sent = _list(b'{"id":1}', attacker.some(880_000))
    body = b'{"name":"Wide","type":"allowedValue","allowedValues":' + sent + b"}"
    await attacker.send(6, repeat(attacker.message("POST", FIELDS, body)))


async def groups(attacker: Attacker) -> None:
    """Send a million links to look up, within all limits."""
    unknown = [9_000_000 + number for number in range(attacker.some(1000))]
    item = orjson.dumps({"name": "Linked", "colorGroupIds": unknown})
    body = _list(item, attacker.some(_BODY // len(item)))
    await attacker.send(6, repeat(attacker.message("POST", COLORS, body)))


async def copies(attacker: Attacker) -> None:
    """Copy a list of a thousand lists into itself eleven times: few bytes, two million nodes."""
    first = {"op": "add", "path": "/colorGroupIds", "value": [[]] * attacker.some(1000)}
    copy = {"op": "copy", "from": "/colorGroupIds", "path": "/colorGroupIds/-"}
    path = f"{COLORS}/{attacker.prepared['id']}"
    body = orjson.dumps([first, *[copy] * 11])
    await attacker.send(8, repeat(attacker.message("PATCH", path, body, content_type=PATCH)))


async def filters(attacker: Attacker) -> None:
    """Send lists that scan every record until the time limit of a read."""
    await attacker.send(16, repeat(_slow_list(attacker)))


async def gone(attacker: Attacker) -> None:
    """Send the same lists, and hang up without waiting for the responses."""
    await attacker.send(16, repeat(_slow_list(attacker)), hang_up=0.02)


def _slow_list(attacker: Attacker) -> bytes:
    query = {}
    for number in range(50):
        query[f"filter[{number}].property"] = "name"
        query[f"filter[{number}].operator"] = "contains"
        query[f"filter[{number}].value"] = "e" if number < 49 else "in none"
    return attacker.message("GET", f"{COLORS}?{urlencode(query)}")


async def locks(attacker: Attacker) -> None:
    """Send writers that hold a connection while they wait for the writer lock."""
    made = [{"value": f"Option {number}"} for number in range(100)]
    item = orjson.dumps({"name": "Wide", "type": "allowedValue", "allowedValues": made})
    create = attacker.message("POST", FIELDS, _list(item, attacker.some(200)))
    change = orjson.dumps([{"op": "replace", "path": "/name", "value": "Changed"}])
    path = f"{FIELDS}/{attacker.prepared['id']}"
    patch = attacker.message("PATCH", path, change, content_type=PATCH)
    await asyncio.gather(attacker.send(4, repeat(create)), attacker.send(16, repeat(patch)))


async def bombs(attacker: Attacker) -> None:
    """Send bodies whose content must not be unpacked to its end."""
    zeros = gzip.compress(bytes(2**22), 9) * attacker.some(100)
    members = gzip.compress(b"") * attacker.some(400_000)
    coding = ["Content-Encoding: gzip"]
    bodies = [attacker.message("POST", COLORS, body, headers=coding) for body in (zeros, members)]
    await attacker.send(16, cycle(bodies))


async def broken(attacker: Attacker) -> None:
    """Hang up in bodies whose memory must be freed then."""
    body = _list(b'{"name":"Half"}', attacker.some(_BODY // 16))
    message = attacker.message("POST", COLORS, body)
    await attacker.send(16, repeat(message[: -len(body) // 50]), hang_up=0)


async def stalled(attacker: Attacker) -> None:
    """Send a tenth of a body, and nothing more."""
    body = _list(b'{"name":"Slow"}', 50)
    await attacker.hold(200, attacker.message("POST", COLORS, body)[: -len(body) * 9 // 10])


async def conditions(attacker: Attacker) -> None:
    """Send lists each of which is a statement that was never prepared before."""
    texts = [each for each in Properties("colors").values() if each.kind == "string"]
    pairs = [(each, name) for each in texts for name in names_of(each)]

    def messages() -> Iterator[bytes]:
        while True:
            query: dict[str, str] = {}
            for number, (each, name) in enumerate(attacker.random.sample(pairs, 12)):
                value = "false" if name == "isNull" else next(iter(each.choices or ("e",)))
                parts = {"property": each.name, "operator": name, "value": value}
                query |= {f"filter[{number}].{part}": text for part, text in parts.items()}
            yield attacker.message("GET", f"{COLORS}?{urlencode(query)}")

    await attacker.send(16, messages())


async def ids(attacker: Attacker) -> None:
    """Send long queries each of which was never parsed before."""

    def messages() -> Iterator[bytes]:
        while True:
            chosen = (str(attacker.random.getrandbits(62)) for _ in range(attacker.some(1500)))
            query = "filter[0].property=id&filter[0].operator=in&filter[0].value="
            yield attacker.message("GET", f"{COLORS}?{query}{','.join(chosen)}")

    await attacker.send(16, messages())


async def page(attacker: Attacker) -> None:
    """Request 240 MB in one response."""
    await attacker.send(2, repeat(attacker.message("GET", _LARGE.format(40))))


async def untaken(attacker: Attacker) -> None:
    """Request responses that nobody reads, so that they stay in memory."""
    await attacker.hold(60, attacker.message("GET", _LARGE.format(2)), takes=False)


async def stored(attacker: Attacker) -> None:
    """Send requests of 2 KB whose responses, stored for their keys, have 80 MB."""
    path = f"{FIELDS}?{urlencode([('ids', each) for each in attacker.prepared['ids']])}"
    keys = (f"Idempotency-Key: {number}" for number in count())
    await attacker.send(2, (attacker.message("DELETE", path, headers=[key]) for key in keys))


async def idle(attacker: Attacker) -> None:
    """Open more idle connections than there may be files."""
    await attacker.hold(attacker.some(2300))


async def heads(attacker: Attacker) -> None:
    """Send the first 40 KB of requests."""
    begun = Request("GET", "/healthz", headers=[f"X-{n}: {'x' * 7000}" for n in range(6)])
    await attacker.hold(attacker.some(2300), begun.encoded()[:-2])


async def document(attacker: Attacker) -> None:
    """Request the longest response that needs no key, without reading it."""
    message = Request("GET", "/openapi.json").encoded()
    await attacker.hold(attacker.some(300), message, takes=False)


async def metrics(attacker: Attacker) -> None:
    """Request metrics, which take long to add up over all workers."""
    await attacker.send(64, repeat(Request("GET", "/metrics", headers=_GZIP).encoded()))


async def published(attacker: Attacker) -> None:
    """Request a long document, which takes long to compress."""
    await attacker.send(64, repeat(Request("GET", "/openapi.json", headers=_GZIP).encoded()))


async def readiness(attacker: Attacker) -> None:
    """Request readiness, which queries the database."""
    await attacker.send(64, repeat(Request("GET", "/readyz").encoded()))


async def keys(attacker: Attacker) -> None:
    """Send well-formed keys, which must be looked up."""

    def messages() -> Iterator[bytes]:
        while True:
            key = compose(ATTACKER, attacker.random.getrandbits(60) + 1, new_secret())
            yield Request("GET", COLORS).encoded(key)

    await attacker.send(64, messages())


async def log(attacker: Attacker) -> None:
    """Send long paths and headers, which go to the access log."""
    headers = [f"X-Service-Api: {'long' * 2000}"]
    message = Request("GET", "/" + "long" * 7500, headers=headers).encoded()
    await attacker.send(32, repeat(message))


async def cursors(attacker: Attacker) -> None:
    """Send cursors with a valid digest, which is no secret, and malformed content."""
    bad: list[Any] = [7, None, [], {}, True, "none", "id\0"]
    conditions = [[[[each, "eq", ["1"]]], [["id", False]], [1]] for each in bad]
    conditions += [[[["id", each, ["1"]]], [["id", False]], [1]] for each in bad]
    conditions += [[[["id", "eq", each]], [["id", False]], [1]] for each in bad]
    sorts = [[[], [[each, False]], [1]] for each in bad]
    many = [[[], [["name", False]] * 900 + [["id", False]], ["x"] * 900 + [1]]]
    scope = cursor.scope(COLORS, ATTACKER)
    payloads = [orjson.dumps([1, *each[:2], 10, each[2]]) for each in conditions + sorts + many]
    forged = [f"{COLORS}?cursor={cursor.seal(payload, scope)}" for payload in payloads]
    await attacker.send(16, cycle([attacker.message("GET", path) for path in forged]))


def _list(item: bytes, number: int) -> bytes:
    return b"[" + b",".join([item] * number) + b"]"

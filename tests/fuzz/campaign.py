"""Fuzz campaign: cases made by Hypothesis from one seed, sent in turn, judged and counted."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Final, TypeAlias

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from service.records.master_record import MasterRecord
from service.records.parts import RecordPart
from service.routes import Route, routes
from service.writing.part_collections import PartCollection
from tests.fuzz import (
    bodies,
    cursors,
    deletes,
    dry_runs,
    duplicate_members,
    floods,
    parts,
    patches,
    queries,
    raw,
    reads,
    requests,
    scopes,
    subjects,
)
from tests.fuzz.cases import Case, describe, judge
from tests.fuzz.inventory import Inventory
from tests.fuzz.raw import Raw
from tests.fuzz.stage import ORGANIZATIONS, Stage, stage
from tests.support.campaign import Progress, Rounds

ROUND: Final = 250
"""Number of cases that Hypothesis makes from one seed."""
_WEIGHT_OF_BODIES: Final = 4
_RAW: Final = 0.05
"""Share of the cases that are bytes instead of requests."""

Subjects: TypeAlias = Callable[[MasterRecord, Route, Inventory, Random], subjects.Subject]
_SUBJECTS: Final[dict[str, Sequence[Subjects]]] = {
    "create": (subjects.create, subjects.create_many),
    "replace": (subjects.replace,),
    "bulk_replace": (subjects.replace_many,),
    "bulk_patch": (subjects.merge_many,),
    "patch": (subjects.patch,),
}

_FUZZED: Final = {*_SUBJECTS, "list", "read", "read_all", "delete", "bulk_delete"}
"""Names of the operations that get cases."""


@dataclass
class Tally:
    """Sum of the cases, and the wrong responses."""

    routes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of cases by collection and operation."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Number of cases by kind of fault; one with several counts for each kind, and as such."""
    failures: dict[str, str] = field(default_factory=dict)
    """Shortest example of a wrong response, by operation and fault."""

    @property
    def cases(self) -> int:
        """Return the number of cases that were sent."""
        return self.routes.total()

    def add(self, case: Case | Raw) -> None:
        """Count a case that was sent."""
        resource = case.route.resource
        self.routes[resource.name if resource else "", case.route.operation.name] += 1
        self.kinds.update({*case.kinds})
        if len(case.kinds) > 1:
            self.kinds[SEVERAL] += 1

    def fail(self, case: Case | Raw, message: str) -> None:
        """Record a wrong response."""
        name = f"{case.route.operation.name}: {', '.join(sorted({*case.kinds}))}"
        self.failures[name] = min(self.failures.get(name, message), message, key=len)


SEVERAL: Final = "several faults"


def targets(collection: str | None = None) -> Iterator[Route]:
    """Yield the routes that take bodies, ids or queries, of one collection or all.

    Routes with bodies come several times, because bodies have the most kinds of faults.
    """
    for route in routes():
        if (
            route.operation.name in _FUZZED
            and route.resource
            and route.resource.is_in_feed
            and collection in (None, route.resource.name)
        ):
            yield from [route] * (_WEIGHT_OF_BODIES if route.operation.name in _SUBJECTS else 1)


def case(on: Stage, route: Route, organization: int, random: Random) -> Case | Raw:
    """Return a case for the route, almost always with a fault."""
    if random.random() < _RAW:
        return raw.made(route, on.apis[organization], organization, random)
    if route.method == "GET":
        return _read(on, route, organization, random)
    resource, inventory = route.resource, on.inventories[organization]
    if isinstance(resource, RecordPart):
        subject = parts.subject(resource, route, inventory, random)
        return bodies.faulty(subject, resource, inventory, random, organization)
    if isinstance(resource, PartCollection):
        subject = parts.collected(resource, route, inventory, random)
        return bodies.faulty(subject, resource, inventory, random, organization)
    assert isinstance(resource, MasterRecord)
    if route.operation.name.endswith("delete"):
        deletion = deletes.single if route.operation.name == "delete" else deletes.several
        return deletion(resource, route, inventory, random, organization)
    if route.operation.name == "patch" and random.random() < 0.4:
        return patches.patched(resource, route, inventory, random, organization)
    choices = _SUBJECTS[route.operation.name]
    subject = random.choice(choices)(resource, route, inventory, random)
    if not route.operation.name.endswith("patch") and random.random() < 0.07:
        return requests.unreadable(subject, resource, random, organization)
    if random.random() < 0.03:
        return duplicate_members.doubled(subject, random, organization)
    if subject.bulk not in (None, "bulk_patch") and random.random() < 0.03:
        return floods.flooded(subject, resource, random, organization)
    return bodies.faulty(subject, resource, inventory, random, organization)


def _read(on: Stage, route: Route, organization: int, random: Random) -> Case:
    resource = route.resource
    assert resource is not None
    if route.operation.name in ("read", "read_all"):
        ids = random.choice(on.paths[resource.name][organization])
        return reads.read(route, ids, resource, random, organization)
    path = route.path
    if resource.parents:
        [style_id, *_] = random.choice(on.paths[resource.name][organization])
        path = path.format(styleId=style_id)
    if random.random() < 0.2:
        return cursors.forged(route, path, resource, random, organization)
    own = on.cursors.get((path, organization))
    if own and random.random() < 0.2:
        others = [values for (other, _), values in on.cursors.items() if other != path]
        strange = random.choice(random.choice(others))
        return reads.continued(route, path, own, strange, random, organization)
    return queries.listed(route, path, resource, random, organization)


def run(
    dsn: str,
    *,
    cases: int,
    start: object,
    chosen: Sequence[Route] | None = None,
    on_progress: Progress = lambda _: None,
) -> Tally:
    """Return the tally of so many cases on a database with the demo data, which stays unchanged.

    ``start`` is the seed; ``chosen`` are the routes, all by default.
    """
    tally, rounds = Tally(), Rounds(cases, on_progress)
    with asyncio.Runner() as runner:
        manager = stage(dsn)
        on = runner.run(manager.__aenter__())
        try:
            for number in count():
                size = min(ROUND, rounds.left)
                _round(runner, on, [*(chosen or targets())], tally, size, f"{start}.{number}")
                rounds.count(size)
                if not rounds.left:
                    break
        finally:
            runner.run(manager.__aexit__(None, None, None))
    return tally


def _round(
    runner: asyncio.Runner, on: Stage, chosen: Sequence[Route], tally: Tally, size: int, name: str
) -> None:
    @seed(name)
    @settings(
        max_examples=size,
        database=None,
        deadline=None,
        # Each fault stands alone already: there is little to shrink, and much to see.
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.sampled_from(chosen), st.sampled_from(ORGANIZATIONS), st.integers(0, 2**64 - 1))
    def send_case(route: Route, organization: int, number: int) -> None:
        if on.spoiled:
            return
        # Bodies take more choices than Hypothesis can hand out one by one.
        random = Random(number)
        made = case(on, route, organization, random)
        if isinstance(made, Case):
            made = dry_runs.maybe(made, random)
            made = scopes.maybe(made, on.scoped[organization], random)
        tally.add(made)
        try:
            runner.run(_send(on, made))
        except AssertionError as error:
            tally.fail(made, str(error))

    send_case()


async def _send(on: Stage, made: Case | Raw) -> None:
    if isinstance(made, Raw):
        await raw.send(on.apis[made.organization], made)
        assert not await on.changed(), f"The database changed.\n{made.sent!r}"
        return
    request = made.request
    scoped = on.scoped[made.organization].apis
    api = scoped[made.scope] if made.scope else on.apis[made.organization]
    answer = await api.call(
        request.method,
        request.path,
        request.body,
        params=request.params,
        headers=request.headers,
        content_type=request.content_type,
    )
    judge(made, answer)
    assert not await on.changed(), f"The database changed.\n{describe(made, answer)}"

"""Workload of the faults: its batches succeed where nothing strikes, for every master record."""

from random import Random

import pytest

from service.resources.registry import MASTER_RECORDS
from tests.faults.work import STEPS, Workload
from tests.support import generate
from tests.support.api import Api
from tests.support.sampling import settle_seed


@pytest.mark.thorough
async def test_every_master_record_has_its_turn(api: Api) -> None:
    work = Workload(await generate.references(api), Random(settle_seed()))
    struck = set()
    for _ in range(2 * STEPS * (len(MASTER_RECORDS) + 1)):
        batch = work.next()
        answer = await batch.send(api)
        assert answer.status in (200, 201), (batch, answer.raw)
        work.learn(answer)
        struck.add((batch.method, batch.path.partition("?")[0]))
    for resource in MASTER_RECORDS:
        methods = {method for method, path in struck if path == f"/api/{resource.name}"}
        assert methods >= {"PUT", "PATCH", "DELETE"}
    assert ("POST", "/api/transaction") in struck

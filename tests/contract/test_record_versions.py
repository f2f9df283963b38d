"""Tests of the versions of records: what is kept is what was (contract, History).

``TEST_SETS`` says how many sets of random writes are made up.
"""

import logging
import os
from collections import Counter
from random import Random

import asyncpg
import orjson
import pytest

from service.resources import registry
from tests.support import random_sets
from tests.support.api import Api
from tests.support.random_edits import Editor
from tests.support.sampling import examples, settle_seed
from tests.support.transactions import SKIP, position, send
from tests.support.versions import KEPT, Forms, Oracle, path_of

pytestmark = pytest.mark.contract("History")

LOG = logging.getLogger(__name__)
SETS = int(os.environ.get("TEST_SETS", examples(few=12, many=300)))


@pytest.fixture
async def oracle(api: Api, shared_connection: asyncpg.Connection) -> tuple[Api, Oracle]:
    """A new organization with every feature, and what its records were after each change."""
    return api, Oracle(shared_connection, api.organization_id)


async def test_what_was_kept_is_what_was(oracle: tuple[Api, Oracle]) -> None:
    api, past = oracle
    await past.note(await position(api))
    for number in range(SETS):
        random = Random(f"{settle_seed()} {number}")
        entries = random_sets.every(random) if number % 4 == 0 else random_sets.writes(random)
        entries += random_sets.deletes(random, entries)
        alone = number % 4 > 0 and random.random() < 0.5
        for each in [[entry] for entry in entries] if alone else [entries]:
            await send(api, each, params=SKIP)
            await past.note(await position(api))
    _compare(past.after, await past.stored())


async def test_edits_of_all_kinds_are_kept(oracle: tuple[Api, Oracle]) -> None:
    api, past = oracle
    random = Random(settle_seed())
    await send(api, random_sets.every(random))
    forms = await past.note(await position(api))
    editor, statuses = Editor(api, random), Counter[int]()
    for number in range(SETS * 20):
        answer = await editor.edit(forms)
        assert answer.status < 500, answer.raw
        statuses[answer.status] += 1
        forms = await past.note(await position(api))
        if number % 100 == 99:
            await send(api, random_sets.every(random), params=SKIP)
            forms = await past.note(await position(api))
    LOG.info("%s", dict(statuses))
    assert statuses[200]
    _compare(past.after, await past.stored())
    await _read_past(api, past.after, random)


async def _read_past(api: Api, noted: dict[int, Forms], random: Random) -> None:
    """Read some of what was noted by `at`, and what was not there yet or no longer."""
    styles = {
        key[1]: orjson.loads(form)["styleId"]
        for forms in noted.values()
        for key, form in forms.items()
        if key[0] == "sample-requests"
    }
    keys = sorted({key for forms in noted.values() for key in forms})
    for _ in range(SETS * 20):
        key, n = random.choice(keys), random.choice([*noted])
        answer = await api.get(path_of(key, styles.get(key[1])), {"at": str(n)})
        form, is_style = noted[n].get(key), ("styles", key[1], 0) in noted[n]
        if form is None and key[0] == "style-prices" and is_style:
            form = registry.STYLE_PRICES.missing_form
        assert answer.status == (404 if form is None else 200), (key, n, answer.raw)
        if form is not None:
            assert answer.headers["X-Changes-After"] == str(n)
            assert answer.raw.endswith(b'"data":%b}' % form.encode()), (key, n)


def _compare(noted: dict[int, Forms], stored: dict[int, Forms]) -> None:
    assert {key[0] for forms in noted.values() for key in forms} == KEPT.keys()
    for n, forms in noted.items():
        different = {
            key: (n, forms.get(key), stored[n].get(key))
            for key in forms.keys() | stored[n].keys()
            if forms.get(key) != stored[n].get(key)
        }
        shown = {key[0]: (key, value) for key, value in different.items()}
        assert not different, "\n".join(map(str, shown.values()))

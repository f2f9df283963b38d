"""Tests of request bodies that are compressed by gzip (contract, Bad input)."""

import gzip
import tracemalloc
import zlib
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from service.errors import ApiError
from service.http.request_body import unpacked
from service.limits import MAX_BODY_BYTES
from tests.support.api import Answer, Api
from tests.support.openapi_validation import is_failure

pytestmark = pytest.mark.contract("Bad input")

GROUPS = "/api/groups"
GROUP = orjson.dumps({"name": "Packed"})


async def post(api: Api, body: bytes, coding: str = "gzip", **headers: str) -> Answer:
    return await api.post(GROUPS, body, headers={"Content-Encoding": coding, **headers})


@pytest.mark.parametrize("coding", ["gzip", "GZIP", "x-gzip", " gzip "])
async def test_a_body_may_be_compressed(coding: str, shared_api: Api) -> None:
    answer = await post(shared_api, gzip.compress(GROUP), coding)
    assert (answer.status, answer.data["name"]) == (201, "Packed")


async def test_a_body_may_have_several_members(shared_api: Api) -> None:
    halves = gzip.compress(GROUP[:7]) + gzip.compress(b"") + gzip.compress(GROUP[7:])
    assert (await post(shared_api, halves)).status == 201


async def test_bulk_writes_and_patches_may_be_compressed(shared_api: Api) -> None:
    items = [{"name": f"Group {number}"} for number in range(200)]
    answer = await post(shared_api, gzip.compress(orjson.dumps(items)))
    assert (answer.status, len(answer.data)) == (201, 200)
    patch = gzip.compress(orjson.dumps([{"op": "test", "path": "/name", "value": "Group 0"}]))
    path = f"{GROUPS}/{answer.data[0]['id']}"
    assert (await shared_api.patch(path, patch, headers={"Content-Encoding": "gzip"})).status == 200


def damaged() -> Iterator[Any]:
    whole = gzip.compress(GROUP)
    for name, body in {
        "empty": b"",
        "truncated head": whole[:5],
        "truncated data": whole[:-9],
        "truncated checksum": whole[:-8],
        "truncated length": whole[:-1],
        "truncated second member": whole + whole[:-3],
        "garbage behind": whole + b"x",
        "zeros behind": whole + bytes(512),
        "no gzip": GROUP,
        "zlib": zlib.compress(GROUP),
        "raw deflate": zlib.compress(GROUP, wbits=-15),
        "wrong checksum": whole[:-8] + bytes([whole[-8] ^ 1]) + whole[-7:],
        "wrong length": whole[:-1] + bytes([whole[-1] ^ 1]),
        "altered data": whole[:14] + bytes([whole[14] ^ 255]) + whole[15:],
        "too many members": gzip.compress(b"") * 1001,
    }.items():
        yield pytest.param(body, id=name)


@pytest.mark.parametrize("body", [*damaged()])
async def test_damaged_bodies_are_malformed(body: bytes, shared_api: Api) -> None:
    answer = await post(shared_api, body)
    is_failure(answer, 400, "malformed_request")
    assert answer.details == [("malformed_request", "Content-Encoding")]
    assert (await shared_api.get(f"{GROUPS}/1")).status == 200


@pytest.mark.parametrize(
    "coding",
    ["gzip, gzip", "gzip,deflate", "deflate", "br", "identity, gzip", "zstd", "", "gzip;q=1"],
)
async def test_other_codings_are_refused(coding: str, shared_api: Api) -> None:
    answer = await post(shared_api, gzip.compress(gzip.compress(GROUP)), coding)
    is_failure(answer, 415, "unsupported_media_type")
    assert answer.headers["Accept-Encoding"] == "gzip"


async def test_every_415_names_the_coding(shared_api: Api) -> None:
    answer = await shared_api.post(GROUPS, b"{}", content_type="text/plain")
    assert (answer.status, answer.headers["Accept-Encoding"]) == (415, "gzip")


@pytest.mark.contract("Budgets", "Limits")
async def test_what_is_too_long_is_refused(shared_api: Api) -> None:
    bomb = gzip.compress(b" " * (MAX_BODY_BYTES + 1))
    is_failure(await post(shared_api, bomb), 413, "payload_too_large")
    is_failure(await post(shared_api, bomb * 20), 413, "payload_too_large")
    padded = GROUP + b" " * (MAX_BODY_BYTES - len(GROUP))
    assert (await post(shared_api, gzip.compress(padded, 1))).status == 201
    many = gzip.compress(b"[" + b",".join([b"1"] * 100_001) + b"]")
    is_failure(await post(shared_api, many), 400, "validation_error.too_many_items")


@pytest.mark.measures
@pytest.mark.contract("Budgets")
def test_a_bomb_takes_no_memory_beyond_the_limit() -> None:
    bomb = gzip.compress(bytes(2**22), 9) * 100
    tracemalloc.start()
    with pytest.raises(ApiError) as caught:
        unpacked(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert caught.value.status == 413
    assert peak < 3 * MAX_BODY_BYTES


@pytest.mark.contract("Idempotency")
async def test_a_request_is_the_same_compressed_or_not(shared_api: Api) -> None:
    key = {"Idempotency-Key": "packed-or-not"}
    first = await post(shared_api, gzip.compress(GROUP), **key)
    again = await shared_api.post(GROUPS, GROUP, headers=key)
    assert (again.raw, again.headers["Idempotent-Replayed"]) == (first.raw, "true")

"""Tests of the blocking client: the asynchronous client's methods, for programs without a loop."""

import asyncio
import inspect
import threading
import warnings
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from selvedge_client import (
    BlockingChanges,
    BlockingClient,
    BlockingCollection,
    BlockingPart,
    BlockingTransaction,
    Changes,
    Client,
    Collection,
    NotFoundError,
    Part,
    Transaction,
    documents,
)
from tests.client.conftest import ServiceAddress
from tests.support.time_limits import limit

pytestmark = pytest.mark.contract("Surface")


async def test_methods_wait_for_responses(service_address: ServiceAddress) -> None:
    def use() -> None:
        with BlockingClient(str(service_address.url), service_address.writer) as client:
            me, document = client.me(), client.get("/api/me").body["data"]
            assert (me.organization_id, me.organization_name) == (
                1,
                document["organization"]["name"],
            )
            assert (me.key_name, me.scope) == (document["key"]["name"], "write")
            groups = client.collection("groups")
            cursor = client.changes.now(collections=["groups"])
            created = groups.create({"name": "Blocking"})
            assert groups.read(created.id).data == created.data
            changed = [{"op": "replace", "path": "/name", "value": "Blocking too"}]
            groups.patch(created.id, changed, if_match=created.etag)
            assert [group["id"] for group in groups.records(name="Blocking too")] == [created.id]
            pages = client.changes.follow(cursor)
            entries = [*next(pages).records]
            while len(entries) < 2:  # the list may have numbered the first change alone
                entries += next(pages).records
            assert [entry["recordId"] for entry in entries] == [created.id] * 2
            item = {"userDefinedId": "B-1", "name": "B", "state": "active"}
            outcomes = [row for _, row in client.sync([("groups", [item])])]
            assert [outcome.outcome for outcome in outcomes] == ["created"]
            groups.delete_many([created.id, outcomes[0].id])
            with pytest.raises(NotFoundError):
                groups.read(2**62)
            color = client.collection("colors").create({"name": "Blocking"})
            assert client.part("colors", color.id, "translations").read().data == []

    await asyncio.to_thread(use)


async def test_pages_are_read_on_demand(service_address: ServiceAddress) -> None:
    def use() -> None:
        with BlockingClient(str(service_address.url), service_address.writer) as client:
            pages = client.collection("colors").pages(page_size=2)
            first = next(pages)
            assert first.cursor
            pages.close()
            typed = client.typed(documents.Color)
            names = [color["name"] for color in islice(typed.records(page_size=2), 3)]
            assert len(names) == 3
            assert names[:2] == [color["name"] for color in first.records]

    await asyncio.to_thread(use)


async def test_the_end_of_the_context_closes_generators(service_address: ServiceAddress) -> None:
    def use() -> None:
        with BlockingClient(str(service_address.url), service_address.writer) as client:
            groups = client.collection("groups")
            generators = groups.records(page_size=2), groups.pages(page_size=2)
            for generator in generators:
                assert next(generator)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(RuntimeError, match="context has ended"):
                next(generators[0])
            generators[1].close()
            with pytest.raises(RuntimeError, match="context has ended"):
                client.me()

    await asyncio.to_thread(use)


async def test_the_end_of_the_context_ends_calls_of_other_threads() -> None:
    called = threading.Event()

    async def wait(_: web.Request) -> web.Response:
        called.set()
        await asyncio.sleep(limit(60))
        return web.Response()

    def use(url: str) -> None:
        with ThreadPoolExecutor(2) as threads:
            with BlockingClient(url, "x") as client:
                groups = client.collection("groups")
                calls: list[Future[Any]] = [
                    threads.submit(groups.delete, 1),
                    threads.submit(next, groups.pages()),
                ]
                assert called.wait(limit(5))
            for call in calls:
                with pytest.raises(RuntimeError, match="context has ended"):
                    call.result(limit(5))
        assert not client._thread._thread.is_alive()

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", wait)
    async with TestServer(app) as server:
        await asyncio.to_thread(use, str(server.make_url("/")))


def test_a_malformed_url_starts_no_thread() -> None:
    threads = threading.active_count()
    with pytest.raises(ValueError, match=r"not 'http://\[::'"):
        BlockingClient("http://[::", "x")
    assert threading.active_count() == threads


async def test_the_garbage_collector_may_close_generators_in_the_thread_of_the_loop(
    service_address: ServiceAddress,
) -> None:
    """It runs in any thread, and that one cannot wait for itself."""

    def use() -> None:
        with BlockingClient(str(service_address.url), service_address.writer) as client:
            generator, closed = client.collection("groups").records(page_size=2), threading.Event()
            assert next(generator)
            loop = client._thread._loop
            loop.call_soon_threadsafe(generator.close)
            loop.call_soon_threadsafe(closed.set)
            assert closed.wait(limit(5))
            assert client.me().organization_id == 1

    await asyncio.to_thread(use)


async def test_threads_share_a_client(service_address: ServiceAddress) -> None:
    def use() -> None:
        with (
            BlockingClient(str(service_address.url), service_address.writer) as client,
            ThreadPoolExecutor(8) as threads,
        ):
            groups = client.collection("groups")
            created = [*threads.map(lambda n: groups.create({"name": f"T {n}"}), range(20))]
            assert len({record.id for record in created}) == 20
            groups.delete_many([record.id for record in created])

    await asyncio.to_thread(use)


@pytest.mark.parametrize(
    ("blocking", "asynchronous"),
    [
        (BlockingClient, Client),
        (BlockingCollection, Collection),
        (BlockingPart, Part),
        (BlockingChanges, Changes),
        (BlockingTransaction, Transaction),
    ],
)
def test_no_method_is_missing(blocking: type[Any], asynchronous: type[Any]) -> None:
    def methods(of: type[Any]) -> set[str]:
        return {name for name, _ in inspect.getmembers(of) if not name.startswith("_")}

    assert methods(blocking) == methods(asynchronous)

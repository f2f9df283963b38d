"""Blocking client: the methods of ``Client`` for programs without an event loop.

    with BlockingClient("https://selvedge.example.com", key) as client:
        for color in client.collection("colors").records(state="active"):
            ...

An event loop in a thread of the client's own runs the calls. Several threads can share a client.
Methods raise the errors of the asynchronous ones; their iterators are generators here.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Generator
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from functools import partial, wraps
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, Unpack

from .changes import Changes
from .client import Client
from .collections import Collection
from .parts import Part
from .records import Document, DocumentT, Form, Outcome
from .transactions import EntryMethods, Transaction, TransactionOptions

_P = ParamSpec("_P")
_R = TypeVar("_R")
_T = TypeVar("_T")


class _ContextEndedError(RuntimeError):
    """Call of a client whose context has ended, before the call or meanwhile."""

    def __init__(self) -> None:
        super().__init__("The client's context has ended: use a new client.")


class _LoopThread:
    """Daemon thread that runs an event loop, from its creation to ``stop``."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._has_ended = False
        # Reentrant: the garbage collector may close a generator while its thread holds the lock.
        self._lock = threading.RLock()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, _R]) -> _R:
        """Wait for the result of a coroutine. An interrupt of the caller cancels the coroutine.

        Raise RuntimeError after ``stop``, and if another thread calls ``stop`` meanwhile: then a
        write may have been executed.
        """
        future = self._submit(coroutine)
        try:
            return future.result()
        except CancelledError:
            raise _ContextEndedError from None
        finally:
            future.cancel()

    def _submit(self, coroutine: Coroutine[Any, Any, _R], *, is_last: bool = False) -> Future[_R]:
        """Start a coroutine in the loop; raise RuntimeError after the last one.

        The lock keeps the last one behind all others, which would never end after it.
        """
        with self._lock:
            if self._has_ended:
                coroutine.close()  # otherwise Python warns that it was never awaited
                raise _ContextEndedError
            self._has_ended = is_last
            return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def iterate(self, items: AsyncIterator[_R]) -> Generator[_R, None, None]:
        """Yield the items, each read on demand; the end of the generator closes the iterator.

        So does ``stop``, after which the generator raises RuntimeError.
        """

        async def following() -> _R:
            return await anext(items)

        try:
            with suppress(StopAsyncIteration):
                while True:
                    yield self.run(following())
        finally:
            # The garbage collector may close the generator in the loop's thread, which cannot wait
            # for itself. The loop closes the iterator then.
            if threading.current_thread() is not self._thread:
                with suppress(_ContextEndedError):
                    self.run(_close(items))

    def stop(self, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run a last coroutine function, then stop the event loop and its thread for good.

        Calls that still run in other threads are canceled before and raise RuntimeError. Raise
        RuntimeError if called again.
        """
        ending = self._submit(self._end(close), is_last=True)
        try:
            ending.result()
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    async def _end(self, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
        calls = asyncio.all_tasks() - {asyncio.current_task()}
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await self._loop.shutdown_asyncgens()
        await close()


async def _close(items: AsyncIterator[Any]) -> None:
    close = getattr(items, "aclose", None)
    if close is not None:
        await close()


class _Blocking(Generic[_T]):
    """Object whose methods wait for those of an asynchronous object, run in the loop's thread."""

    def __init__(self, thread: _LoopThread, asynchronous: _T) -> None:
        self._thread = thread
        self._asynchronous = asynchronous


def _call(
    method: Callable[Concatenate[_T, _P], Coroutine[Any, Any, _R]],
) -> Callable[Concatenate[_Blocking[_T], _P], _R]:
    """Return the blocking form of a coroutine method."""

    @wraps(method)
    def call(self: _Blocking[_T], /, *arguments: _P.args, **options: _P.kwargs) -> _R:
        return self._thread.run(method(self._asynchronous, *arguments, **options))

    return call


def _iteration(
    method: Callable[Concatenate[_T, _P], AsyncIterator[_R]],
) -> Callable[Concatenate[_Blocking[_T], _P], Generator[_R, None, None]]:
    """Return the blocking form of an asynchronous generator method."""

    @wraps(method)
    def iterate(
        self: _Blocking[_T], /, *arguments: _P.args, **options: _P.kwargs
    ) -> Generator[_R, None, None]:
        return self._thread.iterate(method(self._asynchronous, *arguments, **options))

    return iterate


class BlockingCollection(_Blocking[Collection[DocumentT]]):
    """Blocking form of ``Collection``, with the same methods and arguments."""

    pages = _iteration(Collection[DocumentT].pages)
    records = _iteration(Collection[DocumentT].records)
    read = _call(Collection[DocumentT].read)
    create = _call(Collection[DocumentT].create)
    create_many = _call(Collection[DocumentT].create_many)
    replace = _call(Collection[DocumentT].replace)
    replace_many = _call(Collection[DocumentT].replace_many)
    patch = _call(Collection[DocumentT].patch)
    delete = _call(Collection[DocumentT].delete)
    delete_many = _call(Collection[DocumentT].delete_many)
    write = _call(Collection[DocumentT].write)

    @property
    def name(self) -> str:
        """Path below ``/api``, with percent-encoded segments."""
        return self._asynchronous.name


class BlockingPart(_Blocking[Part]):
    """Blocking form of ``Part``, with the same methods and arguments."""

    read = _call(Part.read)
    replace = _call(Part.replace)
    dry_run = _call(Part.dry_run)
    patch = _call(Part.patch)


class BlockingChanges(_Blocking[Changes]):
    """Blocking form of ``Changes``, with the same methods and arguments."""

    now = _call(Changes.now)
    follow = _iteration(Changes.follow)


class BlockingTransaction(EntryMethods, _Blocking[Transaction]):
    """Blocking form of ``Transaction``, with the same methods: a context that sends its entries."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        type_: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if type_ is None:
            self.send()

    def __len__(self) -> int:
        return len(self._asynchronous)

    @property
    def outcomes(self) -> list[tuple[str, Outcome]]:
        """Collections and outcomes of the entries that were sent, in their order."""
        return self._asynchronous.outcomes

    def add(self, collection: str, operation: str, item: Form) -> None:
        """Add an entry, as ``EntryMethods.add`` says."""
        self._asynchronous.add(collection, operation, item)

    send = _call(Transaction.send)


class BlockingClient(_Blocking[Client]):
    """Blocking form of ``Client``, with the same arguments and methods.

    Its thread starts with the object and ends with the context, which can be entered only once.
    Before the context ``collection``, ``typed``, ``part``, ``changes`` and calls raise
    RuntimeError, as in ``Client``; after it calls do. So do calls that still run in other threads
    when the context ends; their writes may have been executed. Raise ValueError for the URLs of
    which ``Client`` does.
    """

    def __init__(self, url: str, key: str, **options: Any) -> None:
        client = Client(url, key, **options)  # first: it may raise, and no thread must stay then
        super().__init__(_LoopThread(), client)

    def __enter__(self) -> Self:
        self._thread.run(self._asynchronous.__aenter__())
        return self

    def __exit__(
        self,
        type_: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._thread.stop(partial(self._asynchronous.__aexit__, type_, error, traceback))

    def collection(self, *path: str | int) -> BlockingCollection[Document]:
        """Return a collection by its path: ``("colors")``, ``("styles", 5, "sample-requests")``."""
        return BlockingCollection(self._thread, self._asynchronous.collection(*path))

    def typed(self, document: type[DocumentT]) -> BlockingCollection[DocumentT]:
        """Return the collection of a type of ``documents``; raise KeyError for another type."""
        return BlockingCollection(self._thread, self._asynchronous.typed(document))

    def part(self, *path: str | int) -> BlockingPart:
        """Return a part of a record by its path: ``("colors", 7, "translations")``."""
        return BlockingPart(self._thread, self._asynchronous.part(*path))

    def transaction(self, **options: Unpack[TransactionOptions]) -> BlockingTransaction:
        """Return a transaction over collections: ``with client.transaction() as batch``."""
        return BlockingTransaction(self._thread, self._asynchronous.transaction(**options))

    @property
    def changes(self) -> BlockingChanges:
        """Change feed of the organization."""
        return BlockingChanges(self._thread, self._asynchronous.changes)

    me = _call(Client.me)
    migration_counts = _call(Client.migration_counts)
    compare_migration = _call(Client.compare_migration)
    sync = _iteration(Client.sync)
    delete_missing = _call(Client.delete_missing)
    get = _call(Client.get)

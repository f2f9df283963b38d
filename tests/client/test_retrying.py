"""How long the client waits before it tries again."""

import pytest

from service.client import FailureError, Retrying, UnreachableError
from service.client.errors import failure
from service.client.retrying import Repeatable

ALWAYS, GUARDED, NEVER = Repeatable.ALWAYS, Repeatable.GUARDED, Repeatable.NEVER


def told(status: int, type_: str, retry_after: str | None = None) -> FailureError:
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    body = b'{"status":"error","code":"%s","error":{"details":[]}}' % type_.encode()
    return failure(status, headers, body)


@pytest.mark.parametrize(
    ("error", "repeatable"),
    [
        (told(429, "too_many_requests", "1"), {ALWAYS, GUARDED, NEVER}),
        (told(503, "server_error.unavailable", "1"), {ALWAYS, GUARDED, NEVER}),
        (told(503, "server_error.outcome_unknown"), {ALWAYS, GUARDED}),
        (told(409, "conflict.in_progress"), {ALWAYS}),
        (told(409, "conflict.in_use"), set()),
        (told(408, "request_timeout"), {ALWAYS, GUARDED}),
        (told(500, "server_error"), set()),
        (told(400, "validation_error"), set()),
        (told(412, "precondition_failed"), set()),
        (UnreachableError("refused"), {ALWAYS, GUARDED, NEVER}),
        (UnreachableError("cut", may_be_done=True), {ALWAYS, GUARDED}),
    ],
)
def test_only_what_is_safe_and_may_succeed(
    error: FailureError, repeatable: set[Repeatable]
) -> None:
    tried = {one for one in Repeatable if Retrying().wait(error, one, 1) is not None}
    assert tried == repeatable


def test_waits_grow_and_differ() -> None:
    retrying, cut = Retrying(first_wait=1, longest_wait=5), UnreachableError("cut")
    for tries, longest in enumerate([1, 2, 4, 5, 5], 1):
        waits = [retrying.wait(cut, ALWAYS, tries) or 0 for _ in range(50)]
        assert longest / 2 <= min(waits) < max(waits) <= longest or longest == 5
    assert retrying.wait(cut, ALWAYS, retrying.attempts) is None


def test_the_service_names_the_shortest_wait() -> None:
    """Which is the same for all whom it turned away, so that they wait a little longer."""
    retrying = Retrying(first_wait=0.1, longest_wait=20)
    waits = {retrying.wait(told(429, "too_many_requests", "7"), NEVER, 1) or 0 for _ in range(50)}
    assert 7 < min(waits) < max(waits) <= 7.1
    assert retrying.wait(told(429, "too_many_requests", "21"), NEVER, 1) is None

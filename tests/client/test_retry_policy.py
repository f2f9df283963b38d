"""Tests of the retry policy: the time that the client waits before it tries again."""

import pytest

from selvedge_client import Detail, FailureError, RetryPolicy, UnreachableError
from selvedge_client.errors import error_of


def failure(status: int, type_: str, retry_after: str | None = None) -> FailureError:
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    body = b'{"status":"error","code":"%s","error":{"details":[]}}' % type_.encode()
    return error_of(status, headers, body)


@pytest.mark.parametrize(
    ("error", "is_retried"),
    [
        (failure(429, "too_many_requests", "1"), True),
        (failure(503, "server_error.unavailable", "1"), True),
        (failure(503, "server_error.outcome_unknown"), True),
        (failure(409, "conflict.in_progress"), True),
        (failure(409, "conflict.in_use"), False),
        (failure(408, "request_timeout"), True),
        (failure(500, "server_error"), False),
        (failure(400, "validation_error"), False),
        (failure(412, "precondition_failed"), False),
        (UnreachableError("refused"), True),
        (UnreachableError("cut", may_have_executed=True), True),
    ],
)
def test_only_what_may_succeed_is_retried(error: FailureError, is_retried: bool) -> None:
    assert (RetryPolicy().delay_seconds(error, 1) is not None) is is_retried


@pytest.mark.parametrize(
    "body",
    [
        b'{"error":{"message":"no healthy upstream"}}',
        b'{"code":"bad_gateway","error":{"message":"no healthy upstream"}}',
        b'{"code":"bad_gateway","error":{"details":"none"}}',
        b'{"code":"bad_gateway","error":{"details":[{"message":"none"}]}}',
        b'{"code":502,"error":{"details":[]}}',
        b'{"code":"bad_gateway","error":[]}',
        b'{"error":"Bad gateway","detail":["none"]}',
        b'["Bad gateway"]',
        pytest.param(b"[" * 100_000, id="nested"),
        b"<html>\xff",
        b"",
    ],
)
def test_bodies_of_proxies_are_errors_of_their_status(body: bytes) -> None:
    for status in (502, 503):
        error = error_of(status, {}, body)
        assert (error.status, error.type) == (status, f"http.{status}")
        assert error.details == (Detail(f"http.{status}", None, None),)
        assert str(error)
        assert RetryPolicy().delay_seconds(error, 1)


def test_waits_grow_and_differ() -> None:
    retrying, cut = RetryPolicy(first_wait=1, longest_wait=5), UnreachableError("cut")
    for tries, longest in enumerate([1, 2, 4, 5, 5], 1):
        waits = [retrying.delay_seconds(cut, tries) or 0 for _ in range(50)]
        assert longest / 2 <= min(waits) < max(waits) <= longest
    assert retrying.delay_seconds(cut, retrying.attempts) is None
    assert RetryPolicy(attempts=10**9).delay_seconds(cut, 10**8)


def test_the_service_names_the_shortest_wait() -> None:
    """Clients add jitter, because the service names the same wait to all of them."""
    retrying = RetryPolicy(first_wait=0.1, longest_wait=20)
    waits = {
        retrying.delay_seconds(failure(429, "too_many_requests", "7"), 1) or 0 for _ in range(50)
    }
    assert 7 < min(waits) < max(waits) <= 7.1
    assert retrying.delay_seconds(failure(429, "too_many_requests", "21"), 1) is None

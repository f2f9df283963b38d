"""Tests of signatures: our own verification, and the official library for Python."""

import base64
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from selvedge_client import VerificationError, verify
from tests.support.guide_receivers import delivered, receiver_of_the_guide
from tests.support.receivers import make, receiving, sending_api, settled, subscribe

pytestmark = pytest.mark.contract("Deliveries")

HOOKS = "/api/webhooks"
SECRET = "whsec_" + base64.b64encode(bytes(32)).decode()


def is_refused(body: bytes, headers: dict[str, str], secret: str) -> bool:
    """Return whether both libraries refuse a message; raise if they disagree."""
    results = []
    for check in (verify, lambda *given: Webhook(given[2]).verify(given[0], given[1])):
        try:
            check(body, headers, secret)
            results.append(False)
        except (VerificationError, WebhookVerificationError):
            results.append(True)
    assert len({*results}) == 1
    return results[0]


async def test_messages_are_signed_as_standard_webhooks_says(demo_dsn: str) -> None:
    async with sending_api(demo_dsn) as api, receiving() as receiver:
        webhook = await subscribe(api, receiver)
        await make(api)
        await settled(api, webhook)
        rotated = await api.post(f"{HOOKS}/{webhook['id']}/rotate", {"overlapSeconds": 60})
        await make(api)
        await settled(api, webhook)
        former, new = webhook["secret"], rotated.data["secret"]
        before, during = receiver.arrivals
        assert not is_refused(before.raw, before.headers, former)
        assert is_refused(before.raw, before.headers, new)
        assert verify(before.raw, before.headers, former) == before.json
        assert len(during.headers["webhook-signature"].split()) == 2
        for secret in (former, new):
            assert not is_refused(during.raw, during.headers, secret)
        await api.post(f"{HOOKS}/{webhook['id']}/rotate", {"overlapSeconds": 0})
        await make(api)
        await settled(api, webhook)
        assert is_refused(receiver.arrivals[-1].raw, receiver.arrivals[-1].headers, new)
        for altered in ("webhook-id", "webhook-timestamp", "webhook-signature"):
            assert is_refused(during.raw, {**during.headers, altered: "1,"}, new)
            assert is_refused(
                during.raw, {k: v for k, v in during.headers.items() if k != altered}, new
            )
        assert is_refused(during.raw + b" ", during.headers, new)


def test_messages_that_are_old_or_from_the_future_are_refused() -> None:
    webhook = Webhook(SECRET)
    headers: dict[str, str] = {}
    for seconds, is_old in ((0, False), (200, False), (400, True), (-400, True)):
        moment = datetime.fromtimestamp(int(time.time()) - seconds, UTC)
        headers = {
            "Webhook-Id": "msg_1",
            "Webhook-Timestamp": str(int(moment.timestamp())),
            "Webhook-Signature": webhook.sign("msg_1", moment, "{}"),
        }
        assert is_refused(b"{}", headers, SECRET) is is_old
    with pytest.raises(VerificationError, match="secret"):
        verify(
            b"{}", {"webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,"}, "no"
        )


def test_signed_messages_that_are_no_json_are_refused() -> None:
    """And so are ids with bytes that are no UTF-8: neither raises another error."""
    webhook, moment = Webhook(SECRET), datetime.now(UTC)
    for message_id, body in (("msg_1", "{"), ("msg_1", "[" * 100_000), ("\udcff", "{}")):
        headers = {
            "Webhook-Id": message_id,
            "Webhook-Timestamp": str(int(moment.timestamp())),
            "Webhook-Signature": webhook.sign("msg_1", moment, body),
        }
        with pytest.raises(VerificationError):
            verify(body.encode(), headers, SECRET)


async def test_the_receiver_of_the_guide(demo_dsn: str, tmp_path: Path) -> None:
    (tmp_path / "receiver.py").write_text(receiver_of_the_guide("python"))
    lines = await delivered(demo_dsn, tmp_path, sys.executable, "receiver.py")
    assert all(line.startswith(b"changes ") for line in lines)

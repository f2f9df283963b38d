"""Test of the official library for JavaScript: it takes the messages of webhooks."""

from pathlib import Path

import pytest

from tests.generated.tools import lend
from tests.support.guide_receivers import delivered, receiver_of_the_guide


@pytest.mark.contract("Deliveries")
async def test_the_receiver_of_the_guide_in_javascript(demo_dsn: str, tmp_path: Path) -> None:
    lend(tmp_path)
    (tmp_path / "receiver.mjs").write_text(receiver_of_the_guide("javascript"))
    lines = await delivered(demo_dsn, tmp_path, "node", "receiver.mjs")
    assert all(line.startswith(b"changes [") for line in lines)

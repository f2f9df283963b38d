"""Benchmark of webhooks: every setting is measured, and the section is written."""

from pathlib import Path

from benchmarks import deliveries
from benchmarks.data import Data
from tests.support.reports import COMMIT


def test_deliveries_are_measured(measured: Data, tmp_path: Path) -> None:
    deliveries.run(measured, rounds=1, seconds=0.1, docs=tmp_path)
    text = (tmp_path / "benchmarks.md").read_text()
    assert f"Measured on commit {COMMIT}." in text
    rows = [line.split("|")[1:3] for line in text.splitlines() if line.startswith("|")][2:]
    counts = {title.strip(): int(count.replace(",", "")) for title, count in rows}
    assert counts == {setting.title: 5 * setting.prompt for setting in deliveries.SETTINGS}

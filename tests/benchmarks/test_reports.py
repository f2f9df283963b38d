"""Reports of benchmarks: every measurement writes its section and plot, even after few samples."""

from pathlib import Path

from benchmarks import report, scale, search, soak
from benchmarks.data import Data
from benchmarks.samples import Results, Sample
from benchmarks.scenarios import scenarios
from tests.support.reports import COMMIT


def page(docs: Path) -> str:
    """Return the text of the document; check that it names the commit."""
    text = (docs / "benchmarks.md").read_text()
    assert f"Measured on commit {COMMIT}." in text
    return text


def test_an_unfinished_run_is_written_with_its_failures(tmp_path: Path) -> None:
    first, second, *_ = chosen = [*scenarios()]
    results = Results(tmp_path / "results.jsonl")
    results.begin()
    for name, rate in (("selvedge", 300.0), ("litestar", 200.0), ("bare", 600.0)):
        results.add(first.name, name, Sample(rate, 0.01, 0.02, 0.001, 0.002))
    with results.attempt(first.name, "fastapi"):
        raise AssertionError("another `answer`\nand more")
    with results.attempt(second.name, "selvedge"):
        raise ConnectionError("gone")
    report.write_bench(results, chosen, "One round.", "18", is_complete=False, docs=tmp_path)
    report.draw_bench(results, chosen, tmp_path)
    text = page(tmp_path)
    assert "The run did not finish" in text
    assert "| 1.50 |" in " ".join(text.split())
    assert f"failed at `{first.name}`:** `AssertionError: another 'answer'`" in text
    assert f"**Selvedge failed at `{second.name}`:** `ConnectionError: gone`" in text
    assert (tmp_path / "benchmarks.png").stat().st_size
    report.write_bench(results, chosen, "One round.", "18", is_complete=True, docs=tmp_path)
    assert "The run did not finish" not in page(tmp_path)


def test_long_lists_are_measured(measured: Data, tmp_path: Path) -> None:
    scale.run(measured, largest=10**4, docs=tmp_path)
    assert "deepest page by related style number" in page(tmp_path)
    assert (tmp_path / "benchmarks-scale.png").stat().st_size


def test_searches_are_measured(measured: Data, tmp_path: Path) -> None:
    search.run(measured, largest=10**4, docs=tmp_path)
    assert "`q`: the beginnings of two words" in page(tmp_path)


def test_mixed_load_is_measured(measured: Data, tmp_path: Path) -> None:
    soak.run(measured, minutes=0.03, docs=tmp_path)
    assert "worker 2 of 2" in page(tmp_path)
    assert (tmp_path / "benchmarks-soak.png").stat().st_size

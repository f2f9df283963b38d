"""Campaigns: commands that repeat rounds, show progress and write a section of a report."""

import argparse
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from tqdm import tqdm

from tests.support.reports import write_section

Progress: TypeAlias = Callable[[int], object]
"""Takes the number of rounds that were done since its last call."""


class Rounds:
    """Counter of the rounds that are left of a campaign."""

    def __init__(self, total: int, on_progress: Progress = lambda _: None) -> None:
        self.left = total
        self._on_progress = on_progress

    def count(self, done: int = 1) -> None:
        """Subtract rounds that were done; the last attempt may do more than are left."""
        self.left = max(0, self.left - done)
        self._on_progress(done)


class Campaign:
    """Command line of a campaign, which ``make`` runs."""

    def __init__(self, command: str, description: str | None) -> None:
        self.parser = argparse.ArgumentParser(description=description)
        self.parser.add_argument("--report", type=Path, help="document to write the section of")
        self._command = command

    def parse(self) -> argparse.Namespace:
        """Return the arguments of the command line."""
        self._arguments = self.parser.parse_args()
        return self._arguments

    @contextmanager
    def progress(self, total: int, unit: str) -> Iterator[Progress]:
        """Show a progress bar of so many rounds."""
        with tqdm(total=total, unit=unit) as bar:
            yield bar.update

    def conclude(self, section: str | None, failures: Iterable[object]) -> int:
        """Print the failures, write the section where a report was asked for; return the status.

        The exit status is 1 if there are failures. Without a section the report stays as it is.
        """
        texts = [*map(str, failures)]
        print("\n\n".join(texts) or "Every promise was kept.")
        if section is not None and self._arguments.report is not None:
            write_section(self._arguments.report, self._command, section)
        return 1 if texts else 0

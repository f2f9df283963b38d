"""Results of a benchmark run: samples and failures, medians and ratios."""

import json
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

EVERY_SCENARIO: Final = ""
"""Scenario name in the failure of a contestant that did not start."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Sample of one contestant's turn at one scenario in one round; times in seconds."""

    per_second: float
    median: float
    p99: float
    service_cpu: float
    """Processor time of the service per request."""
    database_cpu: float
    """Processor time of PostgreSQL per request."""


@dataclass
class Results:
    """Results by scenario and contestant, appended to a file at once."""

    file: Path
    samples: dict[str, dict[str, list[Sample]]] = field(default_factory=dict)
    failures: dict[tuple[str, str], str] = field(default_factory=dict)

    def begin(self, **facts: object) -> None:
        """Empty the file and write the facts of the run as its first line."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(facts) + "\n")

    def add(self, scenario: str, name: str, sample: Sample) -> None:
        """Add one sample."""
        self.samples.setdefault(scenario, {}).setdefault(name, []).append(sample)
        self._append(scenario=scenario, contestant=name, **asdict(sample))

    @contextmanager
    def attempt(self, scenario: str, name: str) -> Iterator[None]:
        """Record an exception as the contestant's failure and go on.

        A contestant that fails once takes no further part in the scenario, and its samples are
        dropped: they would be of other rounds than those of the rest.
        """
        try:
            yield
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            self.failures[scenario, name] = text
            self.samples.get(scenario, {}).pop(name, None)
            self._append(scenario=scenario, contestant=name, failure=text)
            print(f"FAILED {scenario} {name}: {text}", flush=True)

    def rate(self, scenario: str, name: str) -> float:
        """Return the median of the rounds, in requests per second."""
        return self.median(scenario, name, "per_second")

    def median(self, scenario: str, name: str, value: str) -> float:
        """Return the median of the rounds of one of a sample's values."""
        values: list[float] = [getattr(each, value) for each in self.samples[scenario][name]]
        return statistics.median(values)

    def has(self, scenario: str, *names: str) -> bool:
        """Return whether each of the contestants has samples of the scenario."""
        return all(name in self.samples.get(scenario, {}) for name in names)

    def ratio(self, scenario: str, over: str, own: str = "selvedge") -> float:
        """Return Selvedge's rate over another's: the median of the ratios of the rounds.

        The last round of an interrupted run may lack the other's sample.
        """
        ours, theirs = self.samples[scenario][own], self.samples[scenario][over]
        pairs = zip(ours, theirs, strict=False)
        return statistics.median(own.per_second / other.per_second for own, other in pairs)

    def _append(self, **values: object) -> None:
        with self.file.open("a") as file:
            file.write(json.dumps(values) + "\n")

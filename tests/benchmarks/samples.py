"""What the rounds measured."""

import statistics
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Sample:
    """One contestant's turn at one scenario in one round; times in seconds."""

    per_second: float
    median: float
    p99: float
    service_cpu: float
    """Per request."""
    database_cpu: float
    """Per request."""


@dataclass
class Results:
    """Samples by scenario and contestant."""

    samples: dict[str, dict[str, list[Sample]]] = field(default_factory=dict)

    def add(self, scenario: str, name: str, sample: Sample) -> None:
        """Add one."""
        self.samples.setdefault(scenario, {}).setdefault(name, []).append(sample)

    def rate(self, scenario: str, name: str) -> float:
        """The median of the rounds, in requests per second."""
        return self.median(scenario, name, "per_second")

    def median(self, scenario: str, name: str, value: str) -> float:
        """The median of the rounds of any of a sample's values."""
        values: list[float] = [getattr(one, value) for one in self.samples[scenario][name]]
        return statistics.median(values)

    def ratio(self, scenario: str, over: str) -> float:
        """Selvedge's rate over another's: the median of the ratios of the rounds."""
        ours, theirs = self.samples[scenario]["selvedge"], self.samples[scenario][over]
        pairs = zip(ours, theirs, strict=True)
        return statistics.median(one.per_second / other.per_second for one, other in pairs)

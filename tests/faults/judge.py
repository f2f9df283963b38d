"""What became of a batch, and whether its caller was told the truth."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.support.api import Answer

RETURN_SECONDS = 5.0
"""How long the service may take to answer again after a fault."""
FATES = ("all", "none", "torn")
TOLD = ("success", "unavailable", "outcome unknown", "nothing")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One round."""

    fate: str
    told: str
    wrong: str
    """What was wrong with what the caller was told, then or at the retry; empty if nothing."""
    seconds: float
    """Until the service answered again."""
    where: str
    """When the fault struck, for those who look into it."""

    @property
    def bad(self) -> bool:
        """Whether a promise was broken."""
        return bool(self.wrong) or self.fate == "torn" or self.seconds > RETURN_SECONDS


def fate(before: Any, between: Any, after: Any) -> str:
    """What the database held after the fault, knowing what it holds with the batch done once."""
    if between == after:
        return "all"
    return "none" if between == before else "torn"


def told(answer: Answer | None) -> str:
    """What the first answer said, in a word."""
    if answer is None:
        return "nothing"
    code = str(answer.json["code"])
    if answer.status in (200, 201):
        return "success"
    return code.removeprefix("server_error.").replace("_", " ")


def wrong(answer: Answer | None, fate: str, settled: Answer) -> str:
    """What the caller was told that is not so; empty when all of it was true."""
    if settled.status not in (200, 201):
        return f"the retry was answered {settled.status} {settled.raw[:300]!r}"
    replayed = settled.headers.get("Idempotent-Replayed") == "true"
    if replayed != (fate == "all"):
        return f"the retry was {'' if replayed else 'not '}a replay although {fate} was there"
    return "" if answer is None else _wrong_answer(answer, fate, settled)


def _wrong_answer(answer: Answer, fate: str, settled: Answer) -> str:
    said, waits = told(answer), "Retry-After" in answer.headers
    if said == "success":
        if fate != "all":
            return "success was told, and it is not there"
        return "" if answer.raw == settled.raw else "the retry was answered in other words"
    if said == "outcome unknown":
        return "outcome unknown came with Retry-After" if waits else ""
    if said in ("unavailable", "too many requests"):
        if not waits:
            return f"{said} came without Retry-After"
        return "" if fate == "none" else "nothing done was told, and it is there"
    return f"an answer that no fault calls for: {answer.status} {answer.raw[:300]!r}"


class Tally:
    """The outcomes of one fault, added up."""

    def __init__(self) -> None:
        self.fates: Counter[str] = Counter()
        self.told: Counter[str] = Counter()
        self.wrong = 0
        self.slowest = 0.0
        self.bad: list[Outcome] = []

    def add(self, outcome: Outcome) -> None:
        """Count one more."""
        self.fates[outcome.fate] += 1
        self.told[outcome.told] += 1
        self.wrong += bool(outcome.wrong)
        self.slowest = max(self.slowest, outcome.seconds)
        if outcome.bad:
            self.bad.append(outcome)

    def merge(self, other: "Tally") -> None:
        """Count everything that the other one counted."""
        self.fates += other.fates
        self.told += other.told
        self.wrong += other.wrong
        self.slowest = max(self.slowest, other.slowest)
        self.bad += other.bad

    @property
    def rounds(self) -> int:
        """How many outcomes there were."""
        return self.fates.total()

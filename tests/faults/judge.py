"""Judge of a batch: its fate in the database, and whether the response to its caller is true."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from tests.support.api import Answer

RETURN_SECONDS = 5.0
"""Maximum time until the service answers again after a fault."""
FATES = ("all", "none", "torn")
RESPONSES = ("success", "unavailable", "outcome unknown", "nothing")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of one round."""

    fate: str
    response: str
    wrong: str
    """Error in the response, or in that to the retry; empty if both are true."""
    seconds: float
    """Time until the service answered again."""
    where: str
    """Moment at which the fault struck, for debugging."""

    @property
    def bad(self) -> bool:
        """Return whether a promise was broken."""
        return bool(self.wrong) or self.fate == "torn" or self.seconds > RETURN_SECONDS


def fate(before: Any, between: Any, after: Any) -> str:
    """Return the fate: `between` is the database after the fault, `after` with the batch done."""
    if between == after:
        return "all"
    return "none" if between == before else "torn"


def response_kind(answer: Answer | None) -> str:
    """Return the kind of the first response: one of RESPONSES, or the last part of its code."""
    if answer is None:
        return "nothing"
    code = str(answer.json["code"])
    if answer.status in (200, 201):
        return "success"
    return code.removeprefix("server_error.").replace("_", " ")


def wrong(answer: Answer | None, fate: str, settled: Answer) -> str:
    """Return the error in the response or in that to the retry; empty if both are true."""
    if settled.status not in (200, 201):
        return f"the retry was answered {settled.status} {settled.raw[:300]!r}"
    replayed = settled.headers.get("Idempotent-Replayed") == "true"
    if replayed != (fate == "all"):
        return f"the retry was {'' if replayed else 'not '}a replay although {fate} was there"
    return "" if answer is None else _wrong_answer(answer, fate, settled)


def _wrong_answer(answer: Answer, fate: str, settled: Answer) -> str:
    said, waits = response_kind(answer), "Retry-After" in answer.headers
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
    """Sum of the outcomes of one fault."""

    def __init__(self) -> None:
        self.fates: Counter[str] = Counter()
        self.responses: Counter[str] = Counter()
        self.wrong = 0
        self.slowest = 0.0
        self.bad: list[Outcome] = []

    def add(self, outcome: Outcome) -> None:
        """Count one outcome."""
        self.fates[outcome.fate] += 1
        self.responses[outcome.response] += 1
        self.wrong += bool(outcome.wrong)
        self.slowest = max(self.slowest, outcome.seconds)
        if outcome.bad:
            self.bad.append(outcome)

    def merge(self, other: "Tally") -> None:
        """Count the outcomes of another tally."""
        self.fates += other.fates
        self.responses += other.responses
        self.wrong += other.wrong
        self.slowest = max(self.slowest, other.slowest)
        self.bad += other.bad

    @property
    def rounds(self) -> int:
        """Return the number of outcomes."""
        return self.fates.total()

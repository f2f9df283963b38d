"""Report of the attacks: limits, verdict, tables, and the section of docs/reliability.md."""

from collections.abc import Mapping
from typing import Final

from tests.attacks.campaign import REST_SECONDS, Outcome
from tests.attacks.fairness import FEW, MANY, MIN_CACHED_SHARE, MIN_SHARE, TURNS, Share
from tests.attacks.service import WORKERS
from tests.support.reports import measured_on, table

_MEDIAN: Final = 10
"""Maximum ratio of the median under attack to the idle one."""
_WORST: Final = 2
"""Maximum increase of the worst response time, in seconds."""
_GROWTH: Final = 300
"""Maximum growth of all workers, of all sessions, or of the database, in MB."""
_KEPT: Final = 100
"""Maximum memory that workers retain afterwards, and maximum size of the log, in MB."""
_HOLD: Final = 0.25
"""Maximum hold of an event loop, in seconds."""
_OUT_OF_TIME: Final = {"503"}
"""Responses to statements that exceed their time limit (contract, Outages)."""
_HEADER: Final = (
    "attack",
    "median, ms",
    "worst, s",
    "not 200",
    "not ready",
    "longest hold, s",
    "workers, MB",
    "sessions, MB",
    "stored, MB",
    "log, MB",
    "died",
)
_TEXT = """\
## Attacks

Written by `make attack` ({seconds:g} s each); `make test` runs a short version.

One organization, with one key or none, sends what once took the service from everybody; beside
it another one reads a little. The service is `selvedge serve` with {workers} workers, started anew
for each attack, on a database of its own.

### Results

{results}

- **median**, **worst**: of the other organization's light reads, idle and under attack. Each is
  made on a connection of its own. The median may be {median} times that of idle, the worst
  {worst} s longer.
- **not 200**: its reads that were answered otherwise or not at all. Must be 0.
- **not ready**: answers of `/readyz` that were not 200. Must be 0.
- **longest hold**: of an event loop, by the service's own metric, in processor time. May be
  {hold} s.
- **workers**: resident memory of all workers together, idle, at most, and {rest} s afterwards. May
  grow by {growth} MB, {kept} MB of which may stay.
- **sessions**: what all PostgreSQL sessions have for themselves, idle and afterwards. May grow by
  {growth} MB.
- **stored**, **log**: by how much the database and the log grew. May be {growth} and {kept} MB.
- **died**: workers that were killed because they answered no more. Must be 0.

{verdict}

What the attackers were answered, by status (`none` is a connection that ended without an answer,
503 a read that took longer than the 10 s that it may):

{answers}

### Shares

Two organizations do the same work at once, one on {many} connections and one on {few}. The second
has to get {share} of what it gets alone, in answers per second, and {cached} of cached responses;
both rates are means of {turns} turns. Other work is of responses that are never cached.

{shares}

{measured_on}
"""


def broken(outcome: Outcome) -> list[str]:
    """Return the promises that an attack broke."""
    idle, during, before, after = outcome.idle, outcome.during, outcome.before, outcome.after
    failures = {status for status in outcome.answers if status.startswith("5")}
    checks = {
        "median": during.median <= _MEDIAN * idle.median,
        "worst": during.worst <= idle.worst + _WORST,
        "not 200": not during.unserved,
        "not ready": not during.unready,
        "longest hold": outcome.longest_hold <= _HOLD,
        "memory at most": outcome.most - before.workers <= _GROWTH,
        "memory afterwards": after.workers - before.workers <= _KEPT,
        "sessions": after.sessions - before.sessions <= _GROWTH,
        "stored": after.stored - before.stored <= _GROWTH,
        "log": after.logged - before.logged <= _KEPT,
        "died": not outcome.died,
        "5xx": not failures - (_OUT_OF_TIME if outcome.runs_out_of_time else set()),
    }
    return [name for name, holds in checks.items() if not holds]


def row(title: str, outcome: Outcome) -> tuple[str, ...]:
    """Return an attack's row of the table."""
    idle, during, before, after = outcome.idle, outcome.during, outcome.before, outcome.after
    return (
        title,
        f"{idle.median * 1e3:.0f} → {during.median * 1e3:.0f}",
        f"{idle.worst:.2f} → {during.worst:.2f}",
        f"{during.unserved} of {during.reads.total()}",
        f"{during.unready} of {during.readiness.total()}",
        f"{outcome.longest_hold:.2f}",
        f"{before.workers:.0f} → {outcome.most:.0f} → {after.workers:.0f}",
        f"{before.sessions:.0f} → {after.sessions:.0f}",
        f"{after.stored - before.stored:.0f}",
        f"{after.logged - before.logged:.1f}",
        str(outcome.died),
    )


def results(outcomes: Mapping[str, Outcome]) -> str:
    """Return the table of all attacks, by title."""
    return table([_HEADER, *(row(title, outcome) for title, outcome in outcomes.items())])


def answers(outcomes: Mapping[str, Outcome]) -> str:
    """Return the table of the responses to the attackers, by status."""
    statuses = sorted({status for outcome in outcomes.values() for status in outcome.answers})
    rows = [
        (title, *(f"{outcome.answers[status]:,}" for status in statuses))
        for title, outcome in outcomes.items()
    ]
    return table([("attack", *statuses), *rows])


def failures(outcomes: Mapping[str, Outcome], fairness: Mapping[str, Share]) -> list[str]:
    """Return a line for each attack that broke promises, and for each share that is too small."""
    names = {title: broken(outcome) for title, outcome in outcomes.items()}
    lines = [f"- {title}: {', '.join(names[title])}" for title in names if names[title]]
    return lines + [
        f"- share of {work}: below {share.least}"
        for work, share in fairness.items()
        if share.share < share.least
    ]


def shares(fairness: Mapping[str, Share]) -> str:
    """Return the table of shares."""
    rows = [
        (work, f"{share.alone:,.0f}", f"{share.beside:,.0f}", f"{share.share:.2f}")
        for work, share in fairness.items()
    ]
    return table([("work", "alone", "beside", "share"), *rows])


def section(
    outcomes: Mapping[str, Outcome], fairness: Mapping[str, Share], seconds: float, postgres: str
) -> str:
    """Return the section; `postgres` is the version of the server."""
    broken = failures(outcomes, fairness)
    return _TEXT.format(
        seconds=seconds,
        workers=WORKERS,
        results=results(outcomes),
        answers=answers(outcomes),
        verdict="\n".join(["Broken by:", "", *broken]) if broken else "Every promise was kept.",
        shares=shares(fairness),
        median=_MEDIAN,
        worst=_WORST,
        hold=_HOLD,
        growth=_GROWTH,
        kept=_KEPT,
        rest=REST_SECONDS,
        many=MANY,
        turns=TURNS,
        few=FEW,
        share=MIN_SHARE,
        cached=MIN_CACHED_SHARE,
        measured_on=measured_on(postgres, "uvloop"),
    )

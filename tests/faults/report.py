"""Report of the fault campaign: its tables, and its section of docs/reliability.md."""

from tests.faults import judge
from tests.faults.judge import FATES, RESPONSES, Tally
from tests.faults.stage import POOL_SIZE, WORKERS
from tests.faults.work import SIZE
from tests.support.reports import measured_on, table

_HEADER = ("fault", "rounds", *FATES, "answered wrong", "slowest return")
_RESPONSE_HEADER = ("fault", *RESPONSES)
_TEXT = """\
## Faults

Written by `make faults` (seed {seed}); `make test` runs a short version.

A batch of {size} records is on its way to the database when something fails. Afterwards the
database must hold all of the batch or none of it, what the caller was told must be true, the same
request sent again with its `Idempotency-Key` must settle the matter without doing anything twice,
and the service must answer again by itself within {seconds:.0f} seconds.

### Results

{results}

- **all**, **none**: what the database held after the fault. Every table is compared, row by row,
  with what it held before the batch and with what it holds once the batch was sent again.
- **torn**: anything else. Must be 0.
- **answered wrong**: a success that is not there, a "nothing was done" that is there, an answer
  that is neither, or a retry that fails, does the batch twice or answers otherwise than at first.
  Must be 0.
- **slowest return**: from the end of the fault to the next read that succeeds.

What the callers were told:

{responses}

**success** is a 200 or 201, **unavailable** says that nothing was done, **outcome unknown** that
the connection was lost while committing; **nothing** is a connection that ended without an answer.

### How it is done

The service runs as `selvedge serve` with {workers} workers of {pool} connections each, against a
durable PostgreSQL behind a proxy that reads along. The proxy lets the fault strike at a chosen
moment: at the commit (more than half of the rounds), at the begin or at a statement between;
before the request is passed on, while PostgreSQL works on it, before its answer is passed on, or
right after. Bulk creates, replaces (with a deletion among them) and deletes of every master record
take turns.

- A cut connection ends on both sides at once.
- Callers hang up while they wait for the answer, or in the middle of the body.
- Killed is always `SIGKILL`: every worker; one session's process, whereupon PostgreSQL ends all
  sessions and recovers; or PostgreSQL as a whole.
- A restart is PostgreSQL's fast shutdown and a start.
- The pool is exhausted for about as long as a request waits for a connection (5 s), so that some of
  a crowd are served late and some are turned away.

{measured_on}
"""


def results(tallies: dict[str, Tally]) -> str:
    """Return the table of the batches' fates, by fault."""
    rows = [
        (
            name,
            str(tally.rounds),
            *(str(tally.fates[fate]) for fate in FATES),
            str(tally.wrong),
            f"{tally.slowest:.2f} s",
        )
        for name, tally in _with_sum(tallies).items()
    ]
    return table([_HEADER, *rows])


def responses(tallies: dict[str, Tally]) -> str:
    """Return the table of the responses to the callers, by fault."""
    rows = [
        (name, *(str(tally.responses[response]) for response in RESPONSES))
        for name, tally in _with_sum(tallies).items()
    ]
    return table([_RESPONSE_HEADER, *rows])


def section(tallies: dict[str, Tally], seed: int, postgres: str) -> str:
    """Return the section; `postgres` is the version of the server."""
    return _TEXT.format(
        seed=seed,
        seconds=judge.RETURN_SECONDS,
        results=results(tallies),
        responses=responses(tallies),
        measured_on=measured_on(postgres, "uvloop"),
        size=SIZE,
        workers=WORKERS,
        pool=POOL_SIZE,
    )


def _with_sum(tallies: dict[str, Tally]) -> dict[str, Tally]:
    total = Tally()
    for tally in tallies.values():
        total.merge(tally)
    return {**tallies, "together": total}

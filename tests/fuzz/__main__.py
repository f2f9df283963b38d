"""Fuzz campaign of ``make fuzz``: many random requests, counted, written to docs/reliability.md."""

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from random import SystemRandom

from tests.fuzz import campaign, documented, report
from tests.fuzz.documented import Outcome
from tests.fuzz.stage import serving
from tests.support.api import issue_key
from tests.support.campaign import Campaign
from tests.support.databases import DEMO_TEMPLATE, fresh_database, template_server
from tests.support.reports import server_version

_WHOLE = 30_000
"""Number of cases from which there is time for all phases of Schemathesis, about 12,000 cases."""


async def _documented(dsn: str, phases: str, examples: int, seed: int) -> Outcome:
    key = await issue_key(dsn, 1)
    with tempfile.TemporaryDirectory() as folder:
        async with serving(dsn) as server:
            return await documented.run(
                server, key, Path(folder), seed=seed, examples=examples, phases=phases
            )


def main() -> int:
    """Run the campaign; return 1 if a response was wrong."""
    command = Campaign("make fuzz", __doc__)
    command.parser.add_argument("--cases", type=int, default=20_000, help="of both kinds together")
    command.parser.add_argument("--seed", type=int, help="that of an earlier run, to repeat it")
    arguments = command.parse()
    seed = arguments.seed if arguments.seed is not None else SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    started = time.monotonic()
    phases = "examples,coverage,fuzzing" if arguments.cases >= _WHOLE else "examples,fuzzing"
    with template_server() as server:
        first = fresh_database(server, "documented", DEMO_TEMPLATE)
        examples = max(1, arguments.cases // 1000)
        outcome = asyncio.run(_documented(first, phases, examples, seed))
        print(f"{outcome.cases} cases from the OpenAPI document")
        rest = max(campaign.ROUND, arguments.cases - outcome.cases)
        with command.progress(rest, "case") as on_progress:
            second = fresh_database(server, "injected", DEMO_TEMPLATE)
            tally = campaign.run(second, cases=rest, start=seed, on_progress=on_progress)
        postgres = server_version(server)
    print(report.routes(tally), report.kinds(tally), sep="\n\n")
    total = outcome.cases + tally.cases
    print(f"{total} cases, {len(tally.failures)} kinds of failures, seed {seed}")
    facts = {
        "cases": arguments.cases,
        "seed": seed,
        "seconds": time.monotonic() - started,
        "total": f"{total:,}",
        "phases": phases.replace(",", ", "),
        "documented": outcome.cases,
        "surprises": outcome.failures,
        "unchecked": documented.UNKNOWABLE,
    }
    failures = [*([] if outcome.passed else [outcome.output]), *tally.failures.values()]
    return command.conclude(report.section(tally, facts, postgres), failures)


if __name__ == "__main__":
    sys.exit(main())

"""`make fuzz`: many made-up requests, counted, and written to docs/reliability.md."""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path
from random import SystemRandom

from tqdm import tqdm

from tests.fuzz import campaign, documented, report
from tests.fuzz.documented import Outcome
from tests.fuzz.stage import serving
from tests.support.api import issue_key
from tests.support.databases import DEMO_TEMPLATE, fresh_database, template_server
from tests.support.pages import RELIABILITY, rewrite

_WHOLE = 30_000
"""Cases from which on there is time for all of Schemathesis' phases, about 12,000 cases."""


async def _documented(dsn: str, phases: str, examples: int, seed: int) -> Outcome:
    key = await issue_key(dsn, 1)
    with tempfile.TemporaryDirectory() as folder:
        async with serving(dsn) as server:
            return await documented.run(
                server, key, Path(folder), seed=seed, examples=examples, phases=phases
            )


def main() -> int:
    """Run; the exit status is 1 when an answer was not as it has to be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000, help="over both kinds together")
    parser.add_argument("--seed", type=int, help="the last run's, to see it again")
    parser.add_argument("--report", type=Path, help="the page to write the section of")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else SystemRandom().randrange(10**6)
    print(f"seed {seed}")
    started = time.monotonic()
    phases = "examples,coverage,fuzzing" if arguments.cases >= _WHOLE else "examples,fuzzing"
    with template_server() as server:
        first = fresh_database(server, "documented", DEMO_TEMPLATE)
        examples = max(1, arguments.cases // 500)
        outcome = asyncio.run(_documented(first, phases, examples, seed))
        print(f"{outcome.cases} cases made up from the OpenAPI document")
        rest = max(campaign.ROUND, arguments.cases - outcome.cases)
        with tqdm(total=rest, unit="case") as bar:
            second = fresh_database(server, "planted", DEMO_TEMPLATE)
            tally = campaign.run(second, cases=rest, start=seed, done=bar.update)
    print(report.routes(tally), report.kinds(tally), sep="\n\n")
    if not outcome.passed:
        print(outcome.output)
    for failure in tally.failures.values():
        print(failure, end="\n\n")
    total = outcome.cases + tally.cases
    print(f"{total} cases, {len(tally.failures)} kinds of failures, seed {seed}")
    if arguments.report is not None:
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
        rewrite(arguments.report, RELIABILITY, "make fuzz", report.section(tally, facts))
    return 0 if outcome.passed and not tally.failures else 1


if __name__ == "__main__":
    sys.exit(main())

"""Command line of the benchmarks: `python -m benchmarks bench | scale | webhooks | soak | …`."""

import argparse
import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks import bench, cluster, deliveries, products, report, scale, search, soak
from benchmarks.bench import Pace
from benchmarks.contestants import BASE, TITLES
from benchmarks.data import data
from benchmarks.interpreters import commands, entries
from benchmarks.samples import Results
from benchmarks.scenarios import scenarios
from tests.support.reports import COMMIT

_ROUNDS: Final = 5
_SECONDS: Final = 2.0
_DELIVERY_SECONDS: Final = 10.0
_RESULTS: Final = Path("build/benchmarks.jsonl")
_HOW: Final = """\
{rounds} rounds of {seconds:g} s; in each round every scenario goes to one after the other, so that
whatever else the machine does meets all alike. c is the number of connections, each with one
request under way. Every server is one process with one worker and the connections of its usual
pool (Selvedge: 8, as by default on two cores; asyncpg and pg: 10), no access log. Peers answer the
same documents, which is checked before timing. Selvedge alone checks API keys, counts metrics,
answers with request ids, finds every fault at once, checks rarer rules of custom fields, and keeps
what records were before: the peers leave that out, and pgbench the last."""


def main() -> int:
    """Run one measurement and write or print its results; return 1 if there are failures."""
    arguments = _parser().parse_args()
    # A run that is stopped ends what it started and keeps what it has measured.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    # All contestants share two cores, on any machine.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    return int(arguments.run(arguments))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    commands = parser.add_subparsers(required=True)
    beside = commands.add_parser("bench", help="Selvedge beside peers and ceilings")
    beside.add_argument("--rounds", type=int, default=_ROUNDS)
    beside.add_argument("--seconds", type=float, default=_SECONDS, help="0: each request once")
    beside.add_argument("--only", nargs="*", default=[each.name for each in scenarios()])
    beside.add_argument("--contestants", nargs="*", choices=TITLES)
    beside.add_argument("--pythons", nargs="+", help="this one and the distribution's by default")
    beside.add_argument("--base", metavar="DIR", help="compare with the checkout there alone")
    beside.set_defaults(run=_bench)
    sizes = commands.add_parser("scale", help="lists of more and more relations, and searches")
    sizes.add_argument("--largest", type=int, default=10**7)
    sizes.set_defaults(run=_scale)
    hooks = commands.add_parser("webhooks", help="time from a write to its deliveries")
    hooks.add_argument("--rounds", type=int, default=_ROUNDS)
    hooks.add_argument("--seconds", type=float, default=_DELIVERY_SECONDS)
    hooks.set_defaults(run=_webhooks)
    long = commands.add_parser("soak", help="mixed load at 64 connections")
    long.add_argument("--minutes", type=float, default=10.0)
    long.set_defaults(run=_soak)
    sold = commands.add_parser("products", help="pages of products of 10,000 styles")
    sold.set_defaults(run=_products)
    many = commands.add_parser("cluster", help="the cluster of TEST_CITUS_URL beside PostgreSQL")
    many.add_argument("--rounds", type=int, default=_ROUNDS)
    many.add_argument("--seconds", type=float, default=_SECONDS)
    many.set_defaults(run=_cluster)
    return parser


def _bench(arguments: argparse.Namespace) -> int:
    chosen = [each for each in scenarios() if each.name in arguments.only]
    pace = Pace(arguments.rounds, arguments.seconds)
    names = [name for name in TITLES if name != "base"]
    if arguments.base:
        os.environ[BASE] = arguments.base
        names = ["base"]
    kinds = arguments.contestants or names
    pythons = arguments.pythons or ([sys.executable] if arguments.base else commands())
    names = [*entries(kinds, pythons)]
    results = Results(_RESULTS)
    results.begin(commit=COMMIT.replace("`", ""), rounds=pace.rounds, seconds=pace.seconds)
    is_whole = len(chosen) == len([*scenarios()]) and not arguments.contestants and pace.seconds
    docs = report.DOCS if is_whole else _RESULTS.parent
    how = _HOW.format(rounds=pace.rounds, seconds=pace.seconds)
    with data() as measured:
        write = partial(report.write_bench, results, chosen, how, measured.postgres, docs=docs)
        progress = partial(write, is_complete=False)
        run = partial(bench.run, measured, chosen, names, pace, results)
        try:
            if arguments.base:
                run()
            else:
                run(progress)
                write(is_complete=True)
        finally:
            print(f"Samples are in {_RESULTS}, tables in {docs / report.PAGE}.")
            if arguments.base:
                print(report.compared(results, chosen))
            else:
                report.draw_bench(results, chosen, docs)
    for (scenario, name), text in results.failures.items():
        print(f"FAILED {scenario} {name}: {text}")
    return 1 if results.failures else 0


def _scale(arguments: argparse.Namespace) -> int:
    with data() as measured:
        search.run(measured, arguments.largest)
        scale.run(measured, arguments.largest)
    return 0


def _webhooks(arguments: argparse.Namespace) -> int:
    with data() as measured:
        deliveries.run(measured, arguments.rounds, arguments.seconds)
    return 0


def _soak(arguments: argparse.Namespace) -> int:
    with data() as measured:
        soak.run(measured, arguments.minutes)
    return 0


def _products(_: argparse.Namespace) -> int:
    products.run()
    return 0


def _cluster(arguments: argparse.Namespace) -> int:
    cluster.run(arguments.rounds, arguments.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`python -m tests.benchmarks bench | scale | soak | cluster`, for `make`."""

import argparse
import os

from tests.benchmarks import bench, cluster, report, scale, soak
from tests.benchmarks.contestants import BASE, TITLES
from tests.benchmarks.scenarios import scenarios

_HOW = """\
{rounds} rounds of {seconds:g} s; in each round every scenario goes to one after the other, so that
whatever else the machine does meets all alike. c is the number of connections, each with one
request under way. Every server is one process with one worker and the connections of its usual
pool (Selvedge: 8, as by default on two cores; asyncpg and pg: 10), no access log. Peers answer the
same documents, which is checked before timing. Selvedge alone checks API keys, counts metrics,
answers with request ids, finds every fault at once, and lets one writer at a time change the custom
fields of an organization, whose rarer rules the peers leave out."""


def main() -> None:
    """Run one measurement and write, or print, what it found."""
    arguments = _parser().parse_args()
    # All share two cores, whatever the machine has.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    arguments.run(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    commands = parser.add_subparsers(required=True)
    beside = commands.add_parser("bench", help="Selvedge beside peers and ceilings")
    beside.add_argument("--rounds", type=int, default=7)
    beside.add_argument("--seconds", type=float, default=3.0)
    beside.add_argument("--only", nargs="*", default=[one.name for one in scenarios()])
    beside.add_argument("--contestants", nargs="*", choices=TITLES)
    beside.add_argument("--base", metavar="DIR", help="compare with the checkout there alone")
    beside.set_defaults(run=_bench)
    sizes = commands.add_parser("scale", help="lists of more and more relations")
    sizes.add_argument("--largest", type=int, default=10**7)
    sizes.set_defaults(run=lambda arguments: scale.run(arguments.largest))
    long = commands.add_parser("soak", help="mixed load at 64 connections")
    long.add_argument("--minutes", type=float, default=10.0)
    long.set_defaults(run=lambda arguments: soak.run(arguments.minutes))
    many = commands.add_parser("cluster", help="the cluster of TEST_CITUS_URL beside PostgreSQL")
    many.add_argument("--rounds", type=int, default=7)
    many.add_argument("--seconds", type=float, default=3.0)
    many.set_defaults(run=lambda arguments: cluster.run(arguments.rounds, arguments.seconds))
    return parser


def _bench(arguments: argparse.Namespace) -> None:
    wanted = [one for one in scenarios() if one.name in arguments.only]
    if arguments.base:
        os.environ[BASE] = arguments.base
        results = bench.run(wanted, ["selvedge", "base"], arguments.rounds, arguments.seconds)
        print(report.compared(results, wanted))
        return
    names = arguments.contestants or [name for name in TITLES if name != "base"]
    results = bench.run(wanted, names, arguments.rounds, arguments.seconds)
    how = _HOW.format(rounds=arguments.rounds, seconds=arguments.seconds)
    report.write_bench(results, wanted, how)


if __name__ == "__main__":
    main()

"""`python -m tests.benchmarks bench | scale | soak`."""

import argparse
import os

from tests.benchmarks import bench
from tests.benchmarks.contestants import TITLES


def main() -> None:
    """Run one measurement and write its part of docs/benchmarks.md."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    commands = parser.add_subparsers(required=True, dest="command")
    beside = commands.add_parser("bench")
    beside.add_argument("--rounds", type=int, default=7)
    beside.add_argument("--seconds", type=float, default=3.0)
    beside.add_argument("--only", nargs="*", default=[])
    beside.add_argument("--contestants", nargs="*", default=list(TITLES))
    arguments = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    results = bench.run(arguments.rounds, arguments.seconds, arguments.only, arguments.contestants)
    for scenario, by_name in results.samples.items():
        for name in by_name:
            print(
                f"{scenario:<10} {name:<9} {results.rate(scenario, name):9.1f}/s ratio {results.ratio(scenario, name):5.2f}"
                f" cpu {results.median(scenario, name, 'service_cpu') * 1e6:7.0f} db {results.median(scenario, name, 'database_cpu') * 1e6:7.0f}  p50 {results.median(scenario, name, 'median') * 1e3:.2f}ms"
            )


if __name__ == "__main__":
    main()

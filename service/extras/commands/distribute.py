"""Distribution command: `selvedge distribute` spreads the tables over a Citus cluster."""

from argparse import Namespace

from service.console import say
from service.database import distribution, migrations
from service.extras.commands import CommandError, Parsers
from service.extras.commands.prompts import add_yes, confirm
from service.settings import Settings


def add(parsers: Parsers) -> None:
    """Add the command."""
    parser = parsers.add_parser("distribute")
    add_yes(parser)
    parser.set_defaults(run=distribute)


def distribute(settings: Settings, arguments: Namespace) -> None:
    """Print the tables to distribute, ask for confirmation and distribute them.

    If there are none, say so and do nothing. No migration can run meanwhile, nor while it asks.
    Raise CommandError without DATABASE_URL or confirmation, DistributionError if the database
    cannot be distributed, and psycopg.Error.
    """
    if settings.database_url is None:
        raise CommandError("set DATABASE_URL to the coordinator of a Citus cluster")
    with migrations.migration_lock(settings.database_url) as connection:
        plan = distribution.plan(connection)
        if not plan.tables:
            say("All tables are distributed already.")
            return
        say(*_description(plan))
        confirm(arguments, "Writes wait until it is done. Distribute?")
        distribution.distribute(connection, plan)
        say(f"{len(plan.tables)} tables distributed")


def _description(plan: distribution.DistributionPlan) -> list[str]:
    lines = [f"{plan.bytes / 1e6:,.1f} MB are distributed to {plan.nodes or 'no other'} nodes:"]
    if plan.tenant:
        lines.append(f"  by organization ({len(plan.tenant)} tables): {', '.join(plan.tenant)}")
    if plan.shared:
        lines.append(f"  to every node ({len(plan.shared)} tables): {', '.join(plan.shared)}")
    return lines

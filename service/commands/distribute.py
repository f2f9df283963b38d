"""`selvedge distribute`."""

from argparse import Namespace

from service.commands import CommandError, Parsers
from service.commands.prompts import add_yes, confirm
from service.console import say
from service.database import distribution, migrations
from service.settings import Settings


def add(parsers: Parsers) -> None:
    """Add the command."""
    parser = parsers.add_parser("distribute", help="spread the database over a Citus cluster")
    add_yes(parser)
    parser.set_defaults(run=distribute)


def distribute(settings: Settings, arguments: Namespace) -> None:
    """Distribute what is still local, once the operator has seen what that is and agreed."""
    if settings.database_url is None:
        raise CommandError("DATABASE_URL must name the coordinator of a Citus cluster")
    with migrations.alone(settings.database_url) as connection:
        plan = distribution.plan(connection)
        if not plan.tables:
            say("Everything is distributed.")
            return
        say(*_description(plan))
        confirm(arguments, "Writes wait meanwhile. Distribute?")
        distribution.distribute(connection, plan)
        say(f"{len(plan.tables)} tables distributed")


def _description(plan: distribution.DistributionPlan) -> list[str]:
    lines = [f"{plan.bytes / 1e6:,.1f} MB go to {plan.nodes or 'no other'} nodes:"]
    if plan.tenant:
        lines.append(f"  by organization ({len(plan.tenant)} tables): {', '.join(plan.tenant)}")
    if plan.shared:
        lines.append(f"  to every node ({len(plan.shared)} tables): {', '.join(plan.shared)}")
    return lines

"""Migration command: `selvedge migrate` applies migrations, lists them, or rolls some back."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from typing import Final

from service import __version__
from service.console import say
from service.database import distribution, migration_effects, migrations, releases
from service.database.migrations import MigrationState
from service.extras.commands import CommandError, Parsers
from service.extras.commands.command_database import database, require_data
from service.extras.commands.prompts import add_yes, confirm, time_text, whole_number
from service.settings import Settings

_VALIDATED: Final = "-- Then validate the constraints that are not valid yet, and set statistics."


def add(parsers: Parsers) -> None:
    """Add the command."""
    parser = parsers.add_parser("migrate")
    _add_modes(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help="print the SQL that would run, and run nothing"
    )
    add_yes(parser)
    parser.set_defaults(run=migrate)


def _add_modes(parser: ArgumentParser) -> None:
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument(
        "--list",
        action="store_true",
        help="list all migrations: what each does, when and by which release it was applied, and "
        "what its rollback loses",
    )
    modes.add_argument(
        "--to", type=_release, metavar="VERSION", help="apply only those of this release or earlier"
    )
    modes.add_argument(
        "--rollback-to",
        type=_release,
        metavar="VERSION",
        help="undo the migrations after this release instead",
    )
    modes.add_argument(
        "--rollback",
        type=whole_number(1, 10**6, "a number from 1"),
        metavar="N",
        help="undo the newest N migrations instead",
    )


def _release(text: str) -> str:
    """Return the name of a release. Raise ArgumentTypeError if there is none of this name."""
    if text not in releases.releases():
        raise ArgumentTypeError(f"use one of {', '.join(releases.releases())}, not {text!r}")
    return text


def migrate(settings: Settings, arguments: Namespace) -> None:
    """Apply migrations, list them, or roll some back after confirmation, and print what was done.

    Applying creates the embedded database if there is none, and needs no confirmation. If fewer
    migrations are applied than are to be rolled back, all of them are. Raise CommandError if there
    is no embedded database to list or roll back, or the confirmation is refused.
    """
    rolls_back = arguments.rollback is not None or arguments.rollback_to is not None
    creates = not (rolls_back or arguments.list or arguments.dry_run)
    if not creates:
        require_data(settings)
    with database(settings, creates=creates) as dsn:
        if arguments.list:
            _print_list(migrations.states(dsn))
        elif rolls_back:
            _roll_back(dsn, arguments)
        else:
            _apply(dsn, arguments)


def _print_list(states: Sequence[MigrationState]) -> None:
    for state in states:
        say(f"{state.id}  {_release_text(state)}, {_applied_text(state)}")
        if state.file:
            say(f"    {migration_effects.description(state.sql)}")
            say(f"    A rollback loses {migration_effects.loss(state.rollback)}.")


def _release_text(state: MigrationState) -> str:
    return f"release {releases.release_of(state.id)}" if state.file else "of a later release"


def _applied_text(state: MigrationState) -> str:
    if state.applied_at is None:
        return "not applied"
    author = f" by {state.applied_by}" if state.applied_by else ""
    return f"applied {time_text(state.applied_at)}{author}"


def _apply(dsn: str, arguments: Namespace) -> None:
    if arguments.dry_run:
        states = migrations.states(dsn)
        _print_sql(states, migrations.missing(states, arguments.to), rolls_back=False)
        return
    applied = migrations.migrate(dsn, arguments.to)
    _say_done("applied", applied)
    _say_schema(migrations.states(dsn))


def _say_done(action: str, ids: Sequence[str]) -> None:
    """Print which migrations were applied or rolled back."""
    if ids:
        noun = "migration" if len(ids) == 1 else "migrations"
        say(f"{len(ids)} {noun} {action}: {', '.join(ids)}")


def _say_schema(states: Sequence[MigrationState]) -> None:
    """Print the release of the schema, and what is missing for that of this program."""
    applied = [state for state in states if state.applied_at]
    missing = migrations.missing(states)
    if not applied:
        say("The database has no tables of Selvedge.")
        return
    newest = f"{len(applied)} migrations, the newest is {applied[-1].id}"
    if not missing:
        say(f"The schema is current for {__version__}: {newest}.")
    else:
        release = releases.release_of(applied[-1].id)
        needed = f"{__version__} needs {len(missing)} more."
        say(f"The schema is of release {release}: {newest}. {needed}")


def _roll_back(dsn: str, arguments: Namespace) -> None:
    """Roll back after confirmation. Raise CommandError if a later release has migrated."""
    states = migrations.states(dsn)
    later = [state.id for state in states if state.file is None]
    if later:
        raise CommandError(
            f"the database has migrations of a later release ({', '.join(later)}): roll them back "
            "with the program of that release first"
        )
    chosen = migrations.newest(states, count=arguments.rollback, release=arguments.rollback_to)
    if arguments.dry_run:
        _print_sql(states, chosen, rolls_back=True)
        return
    if chosen:
        _say_losses(dsn, [state for state in states if state.id in chosen])
        confirm(arguments, f"Roll back {len(chosen)} migrations? What is named above is lost.")
        chosen = migrations.roll_back(dsn, arguments.rollback, release=arguments.rollback_to)
    _say_done("rolled back", chosen)
    _say_schema(migrations.states(dsn))


def _say_losses(dsn: str, states: Sequence[MigrationState]) -> None:
    """Print what rollbacks lose, and how much of it there is now."""
    losses = [migration_effects.loss(state.rollback) for state in states]
    with distribution.connect(dsn) as connection:
        counts = migration_effects.counts(connection, migration_effects.joined(losses))
    for state, loss in reversed([*zip(states, losses, strict=True)]):
        say(f"{state.id}: a rollback loses {loss}")
    stored = [f"{name} ({count:,})" for name, count in counts.items()]
    say(f"Rows and values there now: {', '.join(stored) or 'none'}")


def _print_sql(states: Sequence[MigrationState], ids: Sequence[str], *, rolls_back: bool) -> None:
    """Print the SQL of migrations or of their rollbacks, each below its id."""
    by_id = {state.id: state for state in states}
    for id_ in ids:
        say(f"-- {id_}{'.rollback' if rolls_back else ''}, a transaction of its own")
        text = by_id[id_].rollback if rolls_back else by_id[id_].sql
        say(*text.rstrip().splitlines(), "")
    if not ids:
        say("-- nothing to run")
    elif not rolls_back:
        say(_VALIDATED)

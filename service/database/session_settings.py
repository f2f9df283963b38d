"""Session settings that statements rely on, where they are executed.

On a cluster the database has them on every node, too: those of a session do not reach the sessions
of other nodes (scaling, rule 12).
"""

from typing import Final

SESSION_SETTINGS: Final = {
    # While Citus hides shards, asyncpg's look-up of a type takes more than a second.
    "citus.override_table_visibility": "off",
    # Compiling a plan with a high estimate takes half a minute, which nothing cancels.
    "jit": "off",
    "TimeZone": "UTC",
    # With 4 MB, PostgreSQL's default, the bitmap of a frequent word loses rows beyond 60,000 pages
    # of a table, and a search of 10,000,000 colors compares hundred thousands of texts again.
    "work_mem": "16MB",
}
"""Values by name, both as PostgreSQL spells them."""

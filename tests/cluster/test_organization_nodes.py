"""Tests of `selvedge organization nodes`: the node of each organization, for a proxy."""

from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from tests.support import cluster
from tests.support.processes import selvedge


def nodes(data_dir: Path, dsn: str) -> dict[int, str]:
    """Return what the command prints: organization id -> address of its node."""
    printed = selvedge(data_dir, "organization", "nodes", DATABASE_URL=dsn)
    assert printed.returncode == 0, printed.stderr
    lines = [line.split(" ") for line in printed.stdout.splitlines()]
    return {int(id_): node for id_, node in lines}


def holder(dsn: str, organization_id: int) -> str:
    """Return the address of the node that has the organization's row, by asking each node."""
    holders = []
    for node in cluster.nodes(urlsplit(dsn).path.removeprefix("/")):
        with psycopg.connect(node) as connection:
            shards = connection.execute(
                "select relname from pg_class where relname ~ '^organization_[0-9]+$'"
            ).fetchall()
            for (shard,) in shards:
                query = f"select from {shard} where id = %s".encode()
                if connection.execute(query, [organization_id]).fetchall():
                    holders.append(urlsplit(node).netloc.rpartition("@")[2])
    [address] = holders
    return address


def test_each_organization_has_the_node_that_has_its_rows(demo_dsn: str, tmp_path: Path) -> None:
    printed = nodes(tmp_path, demo_dsn)
    assert len({printed[id_] for id_ in (1, 2)}) == 2
    for id_ in (1, 2):
        assert printed[id_] == holder(demo_dsn, id_)
    created = selvedge(tmp_path, "organization", "create", "New", DATABASE_URL=demo_dsn)
    id_ = int(created.stdout)
    assert nodes(tmp_path, demo_dsn)[id_] == holder(demo_dsn, id_)


def test_shards_that_move_are_followed(demo_dsn: str, tmp_path: Path) -> None:
    before = nodes(tmp_path, demo_dsn)
    source, target = before[1].split(":"), before[2].split(":")
    with psycopg.connect(demo_dsn, autocommit=True) as connection:
        connection.execute(
            """select citus_move_shard_placement(
                get_shard_id_for_distribution_column('organization', 1), %s, %s, %s, %s,
                shard_transfer_mode => 'block_writes')""",
            [*source, *target],
        )
        connection.execute("call citus_cleanup_orphaned_resources()")
    assert nodes(tmp_path, demo_dsn)[1] == before[2] == holder(demo_dsn, 1)

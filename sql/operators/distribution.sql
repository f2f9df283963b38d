-- Statements about a Citus cluster and its tables, for commands and migrations.

-- name: citus()
select true from pg_extension where extname = 'citus';

-- name: coordinator()
-- Address of the coordinator, on a worker node; no row elsewhere. A coordinator that no node was
-- added to is in group 0, too.
select coalesce(max(nodename || ':' || nodeport), 'the one that knows its nodes')
from pg_dist_node
where groupid = 0 and noderole = 'primary'
having (select groupid > 0 from pg_dist_local_group);

-- name: is_distributed(table)
select true from pg_dist_partition where logicalrelid = to_regclass(%s) and partmethod = 'h';

-- name: is_migrated(table)
select true where to_regclass(%s) is not null;

-- name: is_own_shown(table)
select true from pg_dist_partition where logicalrelid = to_regclass(%s);

-- name: nodes()
select count(*) from pg_dist_node where shouldhaveshards and noderole = 'primary';

-- name: nodes_of_organizations()
-- Node of each organization id so far. The ids come from the sequence: the rows of organization
-- would have to be asked of every node.
select id, node.nodename || ':' || node.nodeport as node
from generate_series(1, (select last_value from organization_id_seq)) id
join pg_dist_placement placement
    on placement.shardid = get_shard_id_for_distribution_column('organization', id)
join pg_dist_node node on node.groupid = placement.groupid and node.noderole = 'primary'
order by id;

-- name: node_settings()
-- Settings of this database on each node that answers, such as {jit=off}.
select node.nodename || ':' || node.nodeport as node, asked.success as answers, asked.result
from run_command_on_all_nodes($$
    select coalesce(
        (
            select setting.setconfig from pg_db_role_setting setting
            where setting.setrole = 0
                and setting.setdatabase = (select oid from pg_database where datname = current_database())
        ),
        '{}'
    )
$$) as asked
join pg_dist_node node on node.nodeid = asked.nodeid
order by node.groupid, node.nodeid;

-- name: ordered(organization_table, distribution_column, organization_table)
-- Tables of the schema, referenced tables before those that refer to them: shared ones, which refer
-- to no tenant's, then `organization`, which the others are co-located with, then these. Tables that refer to each other
-- have no order; the depth ends their cycle.
with recursive own as (
    select oid, relname as name
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r'
        and relname not like '%%yoyo%%' {{no_shard}}
),
reached (oid, depth) as (
    select oid, 0 from own
    union
    select key.conrelid, reached.depth + 1
    from reached
    join pg_constraint key on key.confrelid = reached.oid and key.contype = 'f'
        and key.conrelid <> key.confrelid
    where reached.depth < (select count(*) from own)
)
select
    own.name,
    own.name = %s or exists (
        select 1 from pg_attribute a where a.attrelid = own.oid and a.attname = %s
    ) as is_tenant,
    pg_total_relation_size(own.oid) as bytes
from own
join reached on reached.oid = own.oid
where true {{condition}}
group by own.oid, own.name
order by is_tenant, own.name <> %s, max(reached.depth), own.name;

-- name: unvalidated(tables)
-- Statements that validate the constraints that migrations have added as not valid.
select format('alter table %%I validate constraint %%I', own.relname, key.conname)
from pg_class own
join pg_constraint key on key.conrelid = own.oid and not key.convalidated
where own.relnamespace = current_schema()::regnamespace and own.relname = any(%s)
order by key.oid;

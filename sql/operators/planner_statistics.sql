-- Statements about the statistics of child tables.

-- name: analyzed(table)
-- Whether a table's statistics have organization_id; no row for a table without statistics.
select attname = 'organization_id' from pg_stats
where schemaname = current_schema() and tablename = %s order by 1 desc limit 1;

-- name: is_distributed()
select true from pg_dist_partition where logicalrelid = to_regclass('organization');

-- name: unprepared(tables, all_of_them)
-- Names of the child tables to prepare, and whether each has an id: those not prepared, or all.
select own.relname, exists (
    select 1 from pg_attribute a where a.attrelid = own.oid and a.attname = 'id'
)
from pg_class own
join pg_attribute tenant on tenant.attrelid = own.oid and tenant.attname = 'organization_id'
where own.relnamespace = current_schema()::regnamespace and own.relname = any(%s)
    and (coalesce(tenant.attstattarget, -1) <> 0 or %s)
order by own.relname;

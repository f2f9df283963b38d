-- Statements about the statistics of child tables.

-- name: analyzed(table)
-- Whether a table's statistics have organization_id; no row for a table without statistics.
select attname = 'organization_id' from pg_stats
where schemaname = current_schema() and tablename = %s order by 1 desc limit 1;

-- name: children()
-- Tables that are no collections, but for those with parents in the same table, and their owners' ids.
-- The owner is the table that begins the name, else the first one that a composite key refers to.
select distinct on (own.relname) own.relname::text, owner.attname::text
from pg_constraint key
join pg_class own on own.oid = key.conrelid
join pg_class target on target.oid = key.confrelid
join pg_attribute owner on owner.attrelid = own.oid and owner.attnum = key.conkey[2]
where key.contype = 'f' and own.relnamespace = current_schema()::regnamespace and (
    target.oid = own.oid
    or not exists (
        select 1 from pg_attribute source where source.attrelid = own.oid and source.attname = 'source'
    )
)
order by own.relname, target.oid <> own.oid and starts_with(own.relname, target.relname) desc, owner.attnum;

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

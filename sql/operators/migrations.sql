-- Statements about the migrations that a database has.

-- name: applied()
select migration_id, applied_at_utc from _yoyo_migration order by migration_id;

-- name: applied_by()
-- Release of the program that applied each migration; none for those of releases before 0.5.0.
select distinct on (migration_id) migration_id, comment
from _yoyo_log
where operation = 'mark'
order by migration_id, created_at_utc desc;

-- name: columns()
-- Tables of the schema with their columns.
select relname, array_agg(attname::text)
from pg_class
join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
where relnamespace = current_schema()::regnamespace and relkind = 'r'
group by relname;

-- name: has_migrations()
select to_regclass('_yoyo_migration') is not null;

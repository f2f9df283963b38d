-- Statements of copies of a whole database.

-- name: columns(table)
select attname from pg_attribute
where attrelid = %s::regclass and attnum > 0 and not attisdropped and attgenerated = ''
order by attnum;

-- name: foreign_keys()
-- Statements that drop the foreign keys, and those that add them again.
select
    format('alter table %s drop constraint %I', conrelid::regclass, conname),
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
from pg_constraint
where contype = 'f' and connamespace = current_schema()::regnamespace
order by oid;

-- name: has_organization()
select exists (select 1 from organization);

-- name: migrations()
select array_agg(migration_id order by migration_id) from _yoyo_migration;

-- name: sequences()
-- Sequences with their next value.
select schemaname || '.' || quote_ident(sequencename), last_value is not null, coalesce(last_value, start_value)
from pg_sequences
where schemaname = current_schema()
order by sequencename;

-- name: set_sequence(sequence, next_id, is_called)
select setval(%s::regclass, %s, %s);

-- name: tables()
select relname from pg_class
where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname not like '%yoyo%'
order by relname;

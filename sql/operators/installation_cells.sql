-- Statements of cells and of moves between them.

-- name: begin_ids(first_id, tables)
select setval(pg_get_serial_sequence(own.name, attname), %s)
from unnest(%s::text[]) as own (name)
join pg_attribute on attrelid = own.name::regclass and attidentity <> '';

-- name: cell(cell_ids)
select last_value / %s from organization_id_seq;

-- name: columns(table)
select attname from pg_attribute
where attrelid = %s::regclass and attnum > 0 and not attisdropped and attgenerated = ''
order by attnum;

-- name: has_organization()
select exists (select 1 from organization);

-- name: installation()
select id from installation;

-- name: languages()
select id, code, name from language order by id;

-- name: lock_feed(organization_id)
select 1 from change_feed where organization_id = %s for update;

-- name: lock_organization(organization_id)
select 1 from organization where id = %s for update;

-- name: migrations()
select array_agg(migration_id order by migration_id) from _yoyo_migration;

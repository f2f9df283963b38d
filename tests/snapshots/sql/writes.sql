-- writes: SQL statements as they are sent; only line breaks and indents differ.

-- writes.lock_organization: Lock the organization, if a write concerns unnamed records.
--   $1::bigint organization_id
select id from organization where id = $1::bigint for no key update;

-- writes.next_ids: Take ids for new records.
--   $1::text table_name
--   $2::integer count
-- The offset makes PostgreSQL look up the sequence once.
select nextval(sequence.oid) as id
from (select pg_get_serial_sequence($1::text, 'id')::regclass as oid offset 0) as sequence
cross join generate_series(1, $2::integer);

-- writes.next_ids_of_coordinator: The same on a worker node of a cluster.
--   $1::text table_name
--   $2::integer count
-- A worker node sends a statement about a table of the coordinator there, where it calls the sequence.
select nextval(pg_get_serial_sequence($1::text, 'id')) as id
from (select 1 from _yoyo_version limit 1) as coordinator
cross join generate_series(1, $2::integer);

-- writes.insert_writer_lock: Insert the writer lock of a collection.
--   $1::bigint organization_id
--   $2::text purpose
insert into writer_lock (organization_id, purpose) values ($1::bigint, $2::text)
on conflict (organization_id, purpose) do nothing;

-- writes.lock_writer_lock: Take the writer lock of a collection, for a write by own key.
--   $1::bigint organization_id
--   $2::text purpose
select purpose from writer_lock where organization_id = $1::bigint and purpose = $2::text for no key update;

-- writes: SQL statements as they are sent; only line breaks and indents differ.

-- writes.lock_organization: Lock the organization, if a write concerns unnamed records.
--   $1::bigint organization_id
select id from organization where id = $1::bigint for no key update;

-- writes.next_ids: Take ids for new records.
--   $1::text table_name
--   $2::integer count
select nextval(pg_get_serial_sequence($1::text, 'id')) as id from generate_series(1, $2::integer);

-- writes.insert_writer_lock: Insert the writer lock of a collection.
--   $1::bigint organization_id
--   $2::text purpose
insert into writer_lock (organization_id, purpose) values ($1::bigint, $2::text)
on conflict (organization_id, purpose) do nothing;

-- writes.lock_writer_lock: Take the writer lock of a collection, for a write by own key.
--   $1::bigint organization_id
--   $2::text purpose
select purpose from writer_lock where organization_id = $1::bigint and purpose = $2::text for no key update;

-- writes.insert_change: Insert the change into the outbox, if no statement that renders documents does.
--   $1::bigint organization_id
--   $2::bigint key_id
--   $3::text request_id
--   $4::integer entries
--   $5::jsonb records
--   $6::jsonb causes
insert into change (organization_id, clock, api_key_id, request_id, entries, records, causes)
select
    $1::bigint,
    coalesce(
        (
            -- An aggregate within the insert would query all shards of a cluster. Order and limit instead.
            select earlier.clock from change earlier
            where earlier.organization_id = $1::bigint and earlier.n is null
            order by earlier.clock desc
            limit 1
        ),
        0
    ) + 1,
    $2::bigint,
    $3::text,
    $4::integer,
    $5::jsonb,
    $6::jsonb
returning id;

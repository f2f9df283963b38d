-- Writer locks: rows that writers by own keys lock, one for each collection of an organization.

-- name: insert
insert into writer_lock (organization_id, purpose) values ($1::bigint, $2::text)
on conflict (organization_id, purpose) do nothing;

-- name: lock
select purpose from writer_lock where organization_id = $1::bigint and purpose = $2::text for no key update;

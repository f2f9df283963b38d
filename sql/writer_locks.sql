-- Writer locks: a row for each collection of an organization, locked by writers that match by own keys.

-- name: insert(organization_id, purpose)
insert into writer_lock (organization_id, purpose) values ($1::bigint, $2::text)
on conflict (organization_id, purpose) do nothing;

-- name: lock(organization_id, purposes)
select purpose from writer_lock where organization_id = $1::bigint and purpose = any($2::text[])
order by purpose
for no key update;

-- Rows that writers lock so that one comes after the other.

-- name: set_up
insert into turn (organization_id, purpose) values ($1::bigint, $2::text)
on conflict (organization_id, purpose) do nothing;

-- name: take
select purpose from turn where organization_id = $1::bigint and purpose = $2::text for no key update;

-- Stored responses: their number and size, and the organizations to remove expired ones of.

-- name: organizations(after_id)
select id from organization where id > $1::bigint order by id limit 100;

-- name: weight(organization_id, expired_before)
select count(*) as keys, coalesce(sum(octet_length(body)), 0)::bigint as bytes, min(created_at) as oldest
from idempotency_key
where organization_id = $1::bigint and created_at >= $2::timestamptz;

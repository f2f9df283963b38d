-- Idempotency: stored responses by Idempotency-Key.

-- name: claim(organization_id, key, request_sha256, now, expired_before)
insert into idempotency_key (organization_id, key, request_sha256, created_at)
values ($1::bigint, $2::text, $3::bytea, $4::timestamptz)
on conflict (organization_id, key) do update
set request_sha256 = excluded.request_sha256, created_at = excluded.created_at
where idempotency_key.organization_id = $1::bigint and idempotency_key.created_at < $5::timestamptz
returning true as claimed;

-- name: forget(organization_id, expired_before)
delete from idempotency_key
where organization_id = $1::bigint and key = any(array(
    select old.key from idempotency_key old
    where old.organization_id = $1::bigint and old.created_at < $2::timestamptz
    order by old.created_at
    limit 100
    for update skip locked
));

-- name: hold_organization(organization_id)
select id from organization where id = $1::bigint for key share;

-- name: store(organization_id, key, status, headers, body)
update idempotency_key
set status = $3::smallint, headers = $4::jsonb, body = $5::bytea
where organization_id = $1::bigint and key = $2::text;

-- name: stored(organization_id, key)
select request_sha256, status, headers, body
from idempotency_key
where organization_id = $1::bigint and key = $2::text;

-- name: wait_at_most()
set local statement_timeout = '{{limit}}';

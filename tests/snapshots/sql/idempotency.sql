-- idempotency: SQL statements as they are sent; only line breaks and indents differ.

-- idempotency.claim_timeout: Set the time that a claim waits for another request with the key.
set local statement_timeout = '250ms';

-- idempotency.default_timeout: Set the time limit of statements again.
set local statement_timeout = '30s';

-- idempotency.claim: Claim an idempotency key.
--   $1::bigint organization_id
--   $2::text key
--   $3::bytea request_sha256
--   $4::timestamptz now
--   $5::timestamptz expired_before
insert into idempotency_key (organization_id, key, request_sha256, created_at)
values ($1::bigint, $2::text, $3::bytea, $4::timestamptz)
on conflict (organization_id, key) do update
set request_sha256 = excluded.request_sha256, created_at = excluded.created_at
where idempotency_key.organization_id = $1::bigint and idempotency_key.created_at < $5::timestamptz
returning true as claimed;

-- idempotency.forget: Delete expired keys.
--   $1::bigint organization_id
--   $2::timestamptz expired_before
delete from idempotency_key
where organization_id = $1::bigint and key = any(array(
    select old.key from idempotency_key old
    where old.organization_id = $1::bigint and old.created_at < $2::timestamptz
    order by old.created_at
    limit 100
    for update skip locked
));

-- idempotency.store: Store the response of a claimed key.
--   $1::bigint organization_id
--   $2::text key
--   $3::smallint status
--   $4::jsonb headers
--   $5::bytea body
update idempotency_key
set status = $3::smallint, headers = $4::jsonb, body = $5::bytea
where organization_id = $1::bigint and key = $2::text;

-- idempotency.stored: Read the stored response of a key.
--   $1::bigint organization_id
--   $2::text key
select request_sha256, status, headers, body
from idempotency_key
where organization_id = $1::bigint and key = $2::text;

-- idempotency.organizations: Read the next organizations whose expired keys to delete.
--   $1::bigint after_id
select id from organization where id > $1::bigint order by id limit 100;

-- idempotency.weight: Measure an organization's stored responses.
--   $1::bigint organization_id
--   $2::timestamptz expired_before
select count(*) as keys, coalesce(sum(octet_length(body)), 0)::bigint as bytes, min(created_at) as oldest
from idempotency_key
where organization_id = $1::bigint and created_at >= $2::timestamptz;

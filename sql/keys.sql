-- API keys (contract, Keys).

-- name: delete(organization_id, id, now)
update api_key set revoked_at = $3::timestamptz, changed_at = $3::timestamptz
where organization_id = $1::bigint and id = $2::bigint
returning id;

-- name: documents(organization_id)
with record as (
    select
        k.organization_id,
        k.id,
        k.name,
        coalesce(k.scopes, array[case k.scope when 'read' then '*:read' else '*:delete' end]) as scopes,
        coalesce(k.source, k.id::text) as source,
        k.created_at,
        k.created_by,
        k.last_used_at,
        k.expires_at
    from api_key k
    where k.organization_id = $1::bigint and k.revoked_at is null
),
page as materialized (
    {{page}}
)
select page_order, sort_values, json_build_object(
    'id', id,
    'name', name,
    'source', source,
    'createdAt', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'createdBy', created_by,
    'lastUsedAt', to_char(last_used_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'expiresAt', to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'scopes', scopes
)::text as document
from page;

-- name: expiries(organization_id, ids)
select id, expires_at from api_key where organization_id = $1::bigint and id = any($2::bigint[]);

-- name: lock(organization_id, id)
select coalesce(scopes, array[scope])
from api_key
where organization_id = $1::bigint and id = $2::bigint and revoked_at is null
for no key update;

-- name: own_webhook(organization_id, id, key_id)
update webhook set api_key_id = $3::bigint
where organization_id = $1::bigint and id = $2::bigint
returning id;

-- name: pause_webhooks(organization_id, key_id)
-- A new lease number makes a sender drop what it has on its way.
update webhook set state = 'paused', lease = lease + 1, lease_until = null
where organization_id = $1::bigint and api_key_id = $2::bigint and state = 'active'
returning id;

-- name: rotate(organization_id, id, secret_sha256, now, former_until)
update api_key set
    former_secret_sha256 = secret_sha256,
    former_secret_until = $5::timestamptz,
    secret_sha256 = $3::bytea,
    changed_at = $4::timestamptz
where organization_id = $1::bigint and id = $2::bigint
returning id;

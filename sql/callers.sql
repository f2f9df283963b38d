-- name: caller_of_key(organization_id, key_id)
select
    k.secret_sha256,
    coalesce(k.scopes, array[k.scope]) as scopes,
    o.multiple_language,
    o.pro,
    o.unique_keys,
    coalesce(k.source, k.id::text) as source
from api_key k
join organization o on o.id = k.organization_id
where k.organization_id = $1::bigint and k.id = $2::bigint
    and o.id = $1::bigint
    and k.revoked_at is null and (k.expires_at is null or k.expires_at > now());

-- name: probe(organization_id)
-- Whether the organization's node answers.
select 1 from organization where id = $1::bigint;

-- name: use_key(organization_id, key_id, used_at, last_used_before)
update api_key set last_used_at = $3::timestamptz
where organization_id = $1::bigint and id = $2::bigint
    and (last_used_at is null or last_used_at < $4::timestamptz)
returning id;

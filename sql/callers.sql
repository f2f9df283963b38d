-- name: caller_of_key(organization_id, key_id)
select
    k.secret_sha256,
    case when k.former_secret_until > now() then k.former_secret_sha256 end as former_secret_sha256,
    k.changed_at,
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

-- name: changes(organization_ids)
-- Keys that were rotated or deleted lately. Caches do not forget a key for a minute if look-ups fail.
select organization_id, id, changed_at, revoked_at is not null as is_deleted
from api_key
where organization_id = any($1::bigint[]) and changed_at > now() - interval '75 s';

-- name: probe(organization_id)
-- Whether the organization's node answers.
select 1 from organization where id = $1::bigint;

-- name: use_key(organization_id, key_id, used_at, last_used_before)
update api_key set last_used_at = $3::timestamptz
where organization_id = $1::bigint and id = $2::bigint
    and (last_used_at is null or last_used_at < $4::timestamptz)
returning id;

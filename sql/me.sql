-- Identity of an API key: its installation and its organization.

-- name: identity(organization_id, key_id)
select json_build_object(
    'installation', json_build_object('id', i.id),
    'organization', json_build_object(
        'id', o.id,
        'name', o.name,
        'features', json_build_object(
            'multipleLanguage', o.multiple_language, 'pro', o.pro, 'uniqueKeys', o.unique_keys
        )
    ),
    'key', json_build_object(
        'id', k.id,
        'name', k.name,
        'scope', k.scope,
        'scopes', coalesce(k.scopes, array[case k.scope when 'read' then '*:read' else '*:delete' end]),
        'source', coalesce(k.source, k.id::text),
        'expiresAt', to_char(k.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    )
)::text
from organization o
join api_key k on k.organization_id = $1::bigint and k.id = $2::bigint
cross join installation i
where o.id = $1::bigint;

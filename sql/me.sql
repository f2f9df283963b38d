-- Identity of an API key: its installation and its organization.

-- name: identity(organization_id)
select jsonb_build_object(
    'installation', jsonb_build_object('id', i.id),
    'organization', jsonb_build_object('id', o.id)
)::text
from organization o
cross join installation i
where o.id = $1::bigint;

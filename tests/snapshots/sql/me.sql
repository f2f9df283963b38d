-- me: SQL statements as they are sent; only line breaks and indents differ.

-- me.identity: Read the installation and the organization.
--   $1::bigint organization_id
select jsonb_build_object(
    'installation', jsonb_build_object('id', i.id),
    'organization', jsonb_build_object('id', o.id)
)::text
from organization o
cross join installation i
where o.id = $1::bigint;

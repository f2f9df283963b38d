-- Sets of records that others are linked to: {{link}} holds an {{owner}} and a {{linked}}. Links come as JSON,
-- each an array of both ids.

-- name: add
insert into {{link}} (organization_id, {{owner}}, {{linked}})
select $1::bigint, (pair ->> 0)::bigint, (pair ->> 1)::bigint
from jsonb_array_elements($2::jsonb) as sent(pair);

-- name: changes
-- From the stored sets of the owners $3 to the wanted links, mostly few.
with wanted as materialized (
    select (pair ->> 0)::bigint as owner_id, (pair ->> 1)::bigint as linked_id
    from jsonb_array_elements($2::jsonb) as sent(pair)
),
stored as (
    select {{owner}} as owner_id, {{linked}} as linked_id
    from {{link}}
    where organization_id = $1::bigint and {{owner}} = any($3::bigint[])
)
select case when wanted.owner_id is null then 'remove' else 'add' end as change, owner_id, linked_id
from wanted
full join stored using (owner_id, linked_id)
where wanted.owner_id is null or stored.owner_id is null;

-- name: remove
with gone as materialized (
    select (pair ->> 0)::bigint as owner_id, (pair ->> 1)::bigint as linked_id
    from jsonb_array_elements($2::jsonb) as sent(pair)
)
delete from {{link}} as stored
using gone
where stored.organization_id = $1::bigint
    and stored.{{owner}} = gone.owner_id and stored.{{linked}} = gone.linked_id;

-- Trims.

-- name: delete
update trim set state = 'deleted'
where organization_id = $1::bigint and id = any($2::bigint[])
returning id;

-- name: documents
with record as (
    select t.* from trim t where t.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    '{"id":' || id
    || ',"name":' || to_json(name)
    || ',"userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null')
    || ',"state":"' || state || '"}' as document
from page;

-- name: insert
insert into trim (organization_id, id, name, user_defined_id, state)
select $1::bigint, item.id, item.name, item."userDefinedId", coalesce(item.state, 'active')
from jsonb_to_recordset($2::jsonb) as item(id bigint, name text, "userDefinedId" text, state text)
returning id;

-- name: update
update trim
set name = item.name, user_defined_id = item."userDefinedId", state = item.state
from jsonb_to_recordset($2::jsonb) as item(id bigint, name text, "userDefinedId" text, state text)
where trim.organization_id = $1::bigint and trim.id = item.id
    and (trim.name, trim.user_defined_id, trim.state)
        is distinct from (item.name, item."userDefinedId", item.state)
returning trim.id;

-- name: writables
with record as (
    select t.* from trim t where t.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    '{"name":' || to_json(name)
    || ',"userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null')
    || ',"state":"' || state || '"}' as document
from page;

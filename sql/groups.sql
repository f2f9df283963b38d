-- Groups of styles (contract, Groups).

-- name: delete
update style_group set state = 'deleted', end_date = now()
where organization_id = $1::bigint and id = any($2::bigint[])
returning id;

-- name: documents
with record as (
    select
        g.*,
        (
            select count(*)
            from style_in_group l
            join style s on s.organization_id = $1::bigint and s.id = l.style_id
            where l.organization_id = $1::bigint and l.group_id = g.id and s.state <> 'deleted'
        ) as used_in_styles
    from style_group g
    where g.organization_id = $1::bigint
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
    || ',"state":"' || state
    || '","properties":[],"usedInStyles":' || used_in_styles
    || ',"beginDate":"' || to_char(begin_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
    || coalesce(',"endDate":"' || to_char(end_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"', '')
    || '}' as document
from page;

-- name: insert
insert into style_group (organization_id, id, name, user_defined_id, state, end_date)
select
    $1::bigint,
    item.id,
    item.name,
    item."userDefinedId",
    coalesce(item.state, 'active'),
    case item.state when 'inactive' then now() end
from jsonb_to_recordset($2::jsonb) as item(id bigint, name text, "userDefinedId" text, state text)
returning id;

-- name: update
with present as materialized (select now() as moment)
update style_group as stored
set
    name = item.name,
    user_defined_id = item."userDefinedId",
    state = item.state,
    end_date = case
        when item.state = 'active' then null
        when item.state = stored.state then stored.end_date
        else present.moment
    end
from jsonb_to_recordset($2::jsonb) as item(id bigint, name text, "userDefinedId" text, state text)
join style_group before on before.organization_id = $1::bigint and before.id = item.id
cross join present
where stored.organization_id = $1::bigint and stored.id = item.id
    and (stored.name, stored.user_defined_id, stored.state)
        is distinct from (item.name, item."userDefinedId", item.state)
returning stored.id, stored.name <> before.name as shown;

-- name: writables
with record as (
    select g.* from style_group g where g.organization_id = $1::bigint
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

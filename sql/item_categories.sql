-- Item categories (contract, Item categories): deleted for good, unless items are in them.

-- name: clear_in_deleted_items
update item set item_category_id = null
where organization_id = $1::bigint and item_category_id = any($2::bigint[]) and state = 'deleted'
returning id as "items";

-- name: documents
-- {{state}} and {{end_date}} are the columns of those names, or what they become of those that go.
with record as (
    select
        c.*,
        (
            select count(*) from item i
            where i.organization_id = $1::bigint and i.item_category_id = c.id and i.state <> 'deleted'
        ) as used_in_items
    from item_category c
    where c.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    '{"id":' || id
    || ',"name":' || to_json(name)
    || ',"state":"' || {{state}}
    || '","usedInItems":' || used_in_items
    || ',"beginDate":"' || to_char(begin_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
    || coalesce(',"endDate":"' || to_char({{end_date}} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"', '')
    || ',"properties":[]}' as document
from page;

-- name: insert
insert into item_category (organization_id, id, name, state, end_date)
select
    $1::bigint,
    item.id,
    item.name,
    coalesce(item.state, 'active'),
    case item.state when 'inactive' then now() end
from jsonb_to_recordset($2::jsonb) as item(id bigint, name text, state text)
returning id;

-- name: purge
delete from item_category
where organization_id = $1::bigint and id = any($2::bigint[])
returning id;

-- name: update
with present as materialized (select now() as moment)
update item_category
set
    name = item.name,
    state = item.state,
    end_date = case
        when item.state = 'active' then null
        when item.state = item_category.state then item_category.end_date
        else present.moment
    end
from jsonb_to_recordset($2::jsonb) as item(id bigint, name text, state text)
cross join present
where item_category.organization_id = $1::bigint and item_category.id = item.id
    and (item_category.name, item_category.state) is distinct from (item.name, item.state)
returning item_category.id;

-- name: writables
with record as (
    select c.* from item_category c where c.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select page_order, sort_values, '{"name":' || to_json(name) || ',"state":"' || state || '"}' as document
from page;

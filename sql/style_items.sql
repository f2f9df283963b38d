-- Bills of materials of styles (contract, Items of styles).

-- name: items(organization_id, style_ids)
-- Items that the styles $2 use, in lines or in some color of them.
{{used}};

-- name: lines
-- Part of documents and writables. Items are looked up by record, in an order that the index by id alone has (decision 0006).
select
    line.*,
    item.number as item_number,
    item.name as item_name,
    coalesce(line.unit, item.unit) as effective_unit,
    trim_scale(line.quantity * (100 + coalesce(line.wastage_percent, 0)) * 0.01) as gross_quantity
from style_item line
cross join lateral ({{number, name, unit from item by line.item_id}}) as item
where line.organization_id = $1::bigint and line.style_id = page.id

-- name: tell_items(organization_id, style_ids, former)
-- Record changes of the items that more or fewer of the styles $2 use: before, those of the pairs $3.
with now_used as materialized (
    {{used}}
),
before_used as materialized (
    select (sent.pair ->> 0)::bigint as style_id, (sent.pair ->> 1)::bigint as item_id
    from jsonb_array_elements($3::jsonb) as sent(pair)
)
select coalesce(now_used.item_id, before_used.item_id) as items
from now_used
full join before_used using (style_id, item_id)
where now_used.item_id is null or before_used.item_id is null;

-- name: used
-- Part of items and tell_items: pairs of live styles and items that are shown. Null is no item: a condition would take the
-- index by item.
select distinct line.style_id, used.item_id
from style_item line
cross join lateral (
    select line.item_id
    union all
    select entry.item_id from style_item_color entry
    where entry.organization_id = $1::bigint and entry.style_item_id = line.id and {{is_shown}}
) as used
where line.organization_id = $1::bigint and line.style_id = any(array(
    select style.id from style
    where style.organization_id = $1::bigint and style.id = any($2::bigint[]) and style.state <> 'deleted'
))

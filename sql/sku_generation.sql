-- Generation of SKUs (contract, SKU generations). The styles, style colors and sizes of the items are locked.

-- name: check(organization_id, items)
-- Reports styles without colors or sizes, named colors of other styles, and named sizes that the style cannot have.
with item as materialized (
    select item.n, item.style_id, item.color_ids, item.size_ids, style.size_range_id
    from rows from (
        jsonb_to_recordset($2::jsonb) as ("styleId" bigint, "styleColorIds" bigint[], "sizeRangeSizeIds" bigint[])
    ) with ordinality as item(style_id, color_ids, size_ids, n)
    cross join lateral ({{* from style by item.style_id}}) as style
)
select item.n::integer as item, 'conflict.incomplete' as type, '["styleId"]' as path,
    case when item.size_range_id is null then 'Give the style a size range first.'
        else 'The size range of the style has no active sizes.' end as message
from item
where not exists (
    select 1 from size_range_size size
    where size.organization_id = $1::bigint and size.size_range_id = item.size_range_id and not size.is_deactivated
)
union all
select item.n::integer, 'conflict.incomplete', '["styleId"]', 'Give the style a color first.'
from item
where item.color_ids is null
    and not exists (
        select 1 from style_color
        where style_color.organization_id = $1::bigint and style_color.style_id = item.style_id
            and style_color.state = 'active'
    )
union all
select item.n::integer, 'validation_error.invalid_value', json_build_array('styleColorIds', named.n - 1)::text,
    'This is a color of another style.'
from item
cross join lateral unnest(item.color_ids) with ordinality as named(id, n)
cross join lateral ({{* from style_color by named.id}}) as style_color
where style_color.style_id <> item.style_id
union all
select item.n::integer, 'validation_error.invalid_value', json_build_array('sizeRangeSizeIds', named.n - 1)::text,
    size.name || case when size.size_range_id = item.size_range_id then ' is deactivated.'
        else ' is not a size of the style''s size range.' end
from item
cross join lateral unnest(item.size_ids) with ordinality as named(id, n)
cross join lateral ({{* from size_range_size by named.id}}) as size
where size.size_range_id <> item.size_range_id or size.is_deactivated;

-- name: pairs(organization_id, items, count)
-- Return the pairs of the items in their order, with their live SKU, else the deleted one with the highest id, and with
-- the values of placeholders. The lateral joins look rows up pair by pair.
select
    (item.n - 1)::integer as item,
    style_color.id as style_color_id,
    size.id as size_id,
    sku.id as sku_id,
    sku.sku,
    sku.net_weight::text as net_weight,
    coalesce(sku.state, '') as state,
    style.number as "styleNumber",
    color.user_defined_id as "colorUserDefinedId",
    size.name as "sizeName",
    size.size_id as "sizeId",
    season.user_defined_id as "seasonUserDefinedId",
    organization.sku_format as "skuFormat",
    (
        select b.barcode from barcode b
        where b.organization_id = $1::bigint and b.style_sku_id between sku.id and sku.id
            and b.is_primary and b.gtin14 is not null and b.state <> 'deleted'
        order by b.style_sku_id
        limit 1
    ) as gtin
from rows from (
    jsonb_to_recordset($2::jsonb) as ("styleId" bigint, "styleColorIds" bigint[], "sizeRangeSizeIds" bigint[])
) with ordinality as item(style_id, color_ids, size_ids, n)
join organization on organization.id = $1::bigint
cross join lateral ({{* from style by item.style_id}}) as style
left join lateral ({{* from season by style.season_id}}) as season on true
join style_color
    on style_color.organization_id = $1::bigint and style_color.style_id = item.style_id
        and case when item.color_ids is null then style_color.state = 'active'
            else style_color.id = any(item.color_ids) end
cross join lateral ({{* from color by style_color.color_id}}) as color
cross join lateral (
    select s.id, s.name, s.size_id, s.position
    from size_range_size s
    where s.organization_id = $1::bigint and s.size_range_id = style.size_range_id and not s.is_deactivated
        and (item.size_ids is null or s.id = any(item.size_ids))
    offset 0
) as size
left join lateral (
    select stored.id, stored.sku, stored.net_weight, stored.state
    from style_sku stored
    where stored.organization_id = $1::bigint and stored.style_color_id = style_color.id
        and stored.size_range_size_id = size.id
    order by stored.state = 'deleted', stored.id desc
    limit 1
) as sku on true
order by item.n, style_color.sort_order, style_color.id, size.position, size.id
limit $3::integer;

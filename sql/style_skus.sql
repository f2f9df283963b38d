-- Stock keeping units (contract, SKUs).

-- name: check(organization_id, items)
-- Reports sizes that new and restored SKUs cannot have. The referred records are locked.
select
    item.n::integer as item,
    case when style.size_range_id is null then 'conflict.incomplete' else 'validation_error.invalid_value' end as type,
    case when stored.id is null then '["sizeRangeSizeId"]' else '["state"]' end as path,
    case when style.size_range_id is null then 'Give the style a size range first.'
        else size.name || ' is not a size of the style''s size range.' end as message
from rows from (
    jsonb_to_recordset($2::jsonb) as (id bigint, state text, "styleColorId" bigint, "sizeRangeSizeId" bigint)
) with ordinality as item(id, state, style_color_id, size_id, n)
join style_color on style_color.organization_id = $1::bigint and style_color.id = item.style_color_id
join style on style.organization_id = $1::bigint and style.id = style_color.style_id
join size_range_size size on size.organization_id = $1::bigint and size.id = item.size_id
left join style_sku stored on stored.organization_id = $1::bigint and stored.id = item.id
where (stored.id is null or stored.state = 'deleted' and item.state <> 'deleted')
    and (style.size_range_id is distinct from size.size_range_id or size.is_deactivated)
order by item.n;

-- name: insert(organization_id, items, source)
insert into style_sku as stored (organization_id, id, style_id, color_id, {{new_columns}}, source)
select o.id, item.id, style_color.style_id, style_color.color_id, {{new_values}}, $3::text
from organization o
cross join jsonb_to_recordset($2::jsonb) as item(id bigint, {{new_types}})
join style_color on style_color.organization_id = $1::bigint and style_color.id = item."styleColorId"
where o.id = $1::bigint
returning stored.id;

-- name: record
-- Part of documents. Names are looked up by record, in an order that the index by id alone has (decision 0006).
select
    n.*,
    (
        select style.number from style
        where style.organization_id = $1::bigint and style.id between n.style_id and n.style_id
        order by style.id
        limit 1
    ) as style_number,
    (
        select color.name from color
        where color.organization_id = $1::bigint and color.id between n.color_id and n.color_id
        order by color.id
        limit 1
    ) as color_name,
    (
        -- Of the whole row, since the index of names, which has the id last, would do for the name.
        select (whole.size).name from (
            select size from size_range_size size
            where size.organization_id = $1::bigint and size.id between n.size_range_size_id and n.size_range_size_id
            order by size.id
            limit 1
        ) as whole
    ) as size_name,
    (
        select b.barcode from barcode b
        where b.organization_id = $1::bigint and b.style_sku_id between n.id and n.id
            and b.is_primary and b.gtin14 is not null and b.state <> 'deleted'
        order by b.style_sku_id
        limit 1
    ) as gtin
from style_sku n
where n.organization_id = $1::bigint;

-- name: shown_in_barcodes(organization_id, ids)
select id from barcode where organization_id = $1::bigint and style_sku_id = any($2::bigint[]);

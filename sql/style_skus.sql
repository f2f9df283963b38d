-- Stock keeping units (contract, SKUs).

-- name: check(organization_id, items)
-- Reports sizes that new and restored SKUs cannot have. The referred records are locked.
select
    item.n::integer as item,
    case when style.size_range_id is null then 'conflict.incomplete' else 'validation_error.invalid_value' end as type,
    case when stored.id is null then '["sizeRangeSizeId"]' else '["state"]' end as path,
    case when style.size_range_id is null then 'Give the style a size range first.'
        when style.size_range_id = size.size_range_id then size.name || ' is deactivated.'
        else size.name || ' is not a size of the style''s size range.' end as message
from rows from (
    jsonb_to_recordset($2::jsonb) as (id bigint, state text, "styleColorId" bigint, "sizeRangeSizeId" bigint)
) with ordinality as item(id, state, style_color_id, size_id, n)
join style_color on style_color.organization_id = $1::bigint and style_color.id = item.style_color_id
join style on style.organization_id = $1::bigint and style.id = style_color.style_id
join size_range_size size on size.organization_id = $1::bigint and size.id = item.size_id
left join style_sku stored on stored.organization_id = $1::bigint and stored.id = item.id
where (stored.id is null and item.state is distinct from 'deleted' or stored.state = 'deleted' and item.state <> 'deleted')
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

-- name: joins
-- What documents show of other records. The offsets make it JSON once where the planner keeps what it has looked up.
left join lateral (
    select to_json(style_number)::text as style_number from ({{of_style}}) as named offset 0
) as of_style on true
left join lateral (
    select to_json(color_name)::text as color_name from ({{of_color}}) as named offset 0
) as of_color on true
left join lateral (
    select to_json(size_name)::text as size_name from ({{of_size}}) as named offset 0
) as of_size on true
left join lateral (
    -- Digits, which have nothing to escape.
    select '"' || gtin || '"' as gtin from ({{of_barcode}}) as named
) as of_barcode on true

-- name: of_barcode
select b.barcode as gtin from barcode b
where b.organization_id = $1::bigint and b.style_sku_id between {{row}}.id and {{row}}.id
    and b.is_primary and b.gtin14 is not null and b.state <> 'deleted'
order by b.style_sku_id
limit 1

-- name: of_color
-- Names are looked up by record, in an order that the index by id alone has (decision 0006).
select c.name as color_name from color c
where c.organization_id = $1::bigint and c.id between {{row}}.color_id and {{row}}.color_id
order by c.id
limit 1

-- name: of_size
-- Of the whole row, since the index of names, which has the id last, would do for the name.
select (whole.s).name as size_name from (
    select s from size_range_size s
    where s.organization_id = $1::bigint and s.id between {{row}}.size_range_size_id and {{row}}.size_range_size_id
    order by s.id
    limit 1
) as whole

-- name: of_style
select s.number as style_number from style s
where s.organization_id = $1::bigint and s.id between {{row}}.style_id and {{row}}.style_id
order by s.id
limit 1

-- name: shown_in_barcodes(organization_id, ids)
select id from barcode where organization_id = $1::bigint and style_sku_id = any($2::bigint[]);

-- Stock keeping units (contract, SKUs).

-- name: check(organization_id, items)
-- Reports sizes that new and restored SKUs cannot have. The referred records are locked. They are looked up by record, in an
-- order that the index by id alone has (decision 0006).
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
cross join lateral ({{style_id from style_color by item.style_color_id}}) as style_color
cross join lateral ({{size_range_id from style by style_color.style_id}}) as style
cross join lateral ({{name, size_range_id, is_deactivated from size_range_size by item.size_id}}) as size
left join lateral ({{id, state from style_sku by item.id}}) as stored on true
where (stored.id is null and item.state is distinct from 'deleted' or stored.state = 'deleted' and item.state <> 'deleted')
    and (style.size_range_id is distinct from size.size_range_id or size.is_deactivated)
order by item.n;

-- name: insert(organization_id, items, source)
insert into style_sku as stored (organization_id, id, style_id, color_id, {{new_columns}}, source)
select o.id, item.id, item.of_style_id, item.of_color_id, {{new_values}}, $3::text
from organization o
cross join (
    -- A full join is never a nested loop; the offset keeps it full.
    select sent.*, made.style_id as of_style_id, made.color_id as of_color_id
    from jsonb_to_recordset($2::jsonb) as sent(id bigint, {{new_types}})
    full join (
        select one.id, one.style_id, one.color_id from style_color one
        where one.organization_id = $1::bigint and one.id = any(array(
            select named."styleColorId" from jsonb_to_recordset($2::jsonb) as named("styleColorId" bigint)
        ))
    ) as made on made.id = sent."styleColorId"
    offset 0
) as item
where o.id = $1::bigint and item.id is not null
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

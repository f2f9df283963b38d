-- Styles (contract, Styles).

-- name: charted_in(organization_id, ids, size_range_ids)
-- Return the styles among $2 whose charts have values in sizes of the size ranges $3.
select distinct line.style_id as id
from measurement_line line
join measurement_line_value charted
    on charted.organization_id = $1::bigint and charted.measurement_line_id = line.id
cross join lateral ({{* from size_range_size by charted.size_range_size_id}}) as size
where line.organization_id = $1::bigint and line.style_id = any($2::bigint[])
    and size.size_range_id = any($3::bigint[]);

-- name: hold_size_ranges(organization_id, ids)
-- Lock the size ranges in which the charts of the styles $2 have values, until the end of the transaction.
select owner.id, owner.state
from size_range owner
where owner.organization_id = $1::bigint
    and owner.id = any(array(
        select size.size_range_id
        from measurement_line line
        join measurement_line_value charted
            on charted.organization_id = $1::bigint and charted.measurement_line_id = line.id
        join size_range_size size
            on size.organization_id = $1::bigint and size.id = charted.size_range_size_id
        where line.organization_id = $1::bigint and line.style_id = any($2::bigint[])
    ))
order by owner.id
for key share;

-- name: incomplete(organization_id, items)
-- Mandatory custom fields of which the styles $2 lack a value, for each active color and size if they differ. Fields of
-- which the styles can choose no value are not mandatory. At most so many rows as a request can have items and failures.
with recursive item as materialized (
    select *
    from jsonb_to_recordset($2::jsonb) as sent(
        n integer, id bigint, brand_id bigint, group_ids bigint[], category_id bigint, size_range_id bigint
    )
),
line as (
    select f.id as field_id, f.parent_custom_field_id as parent_id, f.diff_per_color, f.diff_per_size
    from style_custom_field f
    where f.organization_id = $1::bigint and f.is_mandatory and f.state = 'active'
    union all
    select line.field_id, parent.parent_custom_field_id, parent.diff_per_color, parent.diff_per_size
    from line
    cross join lateral ({{* from style_custom_field by line.parent_id}}) as parent
),
field as materialized (
    select f.id, f.name, f.type, f.parent_custom_field_id as parent_id, line.diff_per_color, line.diff_per_size
    from line
    cross join lateral ({{* from style_custom_field by line.field_id}}) as f
    where line.parent_id is null
),
restricted as materialized (
    select link.custom_field_id, 'brand' as kind, link.brand_id as id
    from custom_field_brand link
    where link.organization_id = $1::bigint and link.custom_field_id = any(array(select field.id from field))
    union all
    select link.custom_field_id, 'group', link.group_id
    from custom_field_group link
    where link.organization_id = $1::bigint and link.custom_field_id = any(array(select field.id from field))
    union all
    select link.custom_field_id, 'category', link.style_category_id
    from custom_field_style_category link
    where link.organization_id = $1::bigint and link.custom_field_id = any(array(select field.id from field))
),
unmet as (
    select item.n, restricted.custom_field_id
    from item
    cross join restricted
    group by item.n, restricted.custom_field_id, restricted.kind
    having not bool_or(
        case restricted.kind
            when 'brand' then restricted.id = item.brand_id
            when 'group' then restricted.id = any(item.group_ids)
            else restricted.id = item.category_id
        end is true
    )
),
valued as materialized (
    select
        entry.style_id,
        entry.custom_field_id,
        coalesce(entry.style_color_id, 0) as color_id,
        coalesce(entry.size_range_size_id, 0) as size_id,
        entry.allowed_value_id
    from custom_field_value entry
    where entry.organization_id = $1::bigint and entry.style_id = any(array(select item.id from item))
),
choice as materialized (
    select c.custom_field_id, c.parent_allowed_value_id
    from style_allowed_value c
    where c.organization_id = $1::bigint and c.custom_field_id = any(array(select field.id from field))
),
color as materialized (
    select c.id, c.style_id
    from style_color c
    where c.organization_id = $1::bigint and c.style_id = any(array(select item.id from item))
        and coalesce(c.state_before, c.state) = 'active'
),
size as materialized (
    select s.id, s.size_range_id
    from size_range_size s
    where s.organization_id = $1::bigint and s.size_range_id = any(array(select item.size_range_id from item))
        and not s.is_deactivated
),
lacking as (
    select
        item.n,
        item.id as style_id,
        field.id,
        field.name,
        field.type,
        field.parent_id,
        coalesce(color.id, 0) as color_id,
        coalesce(size.id, 0) as size_id
    from item
    cross join field
    left join color on field.diff_per_color and color.style_id = item.id
    left join size on field.diff_per_size and size.size_range_id = item.size_range_id
    where (color.id is not null or not field.diff_per_color)
        and (size.id is not null or not field.diff_per_size)
        and (item.n, field.id) not in (select unmet.n, unmet.custom_field_id from unmet)
        and (item.id, field.id, coalesce(color.id, 0), coalesce(size.id, 0)) not in (
            select valued.style_id, valued.custom_field_id, valued.color_id, valued.size_id from valued
        )
)
select
    lacking.n as item,
    'conflict.incomplete' as type,
    '["isReadyForExport"]' as path,
    'Mandatory custom field ' || lacking.id || ' has no value'
        || case when lacking.color_id > 0 then ' for style color ' || lacking.color_id else '' end
        || case when lacking.size_id > 0 then ' in size ' || lacking.size_id else '' end
        || ': ' || lacking.name || '.' as message
from lacking
left join valued as parent
    on parent.style_id = lacking.style_id and parent.custom_field_id = lacking.parent_id
    and parent.color_id = lacking.color_id and parent.size_id = lacking.size_id
where lacking.type in ('text', 'numeric')
    or lacking.id in (select choice.custom_field_id from choice where choice.parent_allowed_value_id is null)
    or (lacking.id, parent.allowed_value_id) in (
        select choice.custom_field_id, choice.parent_allowed_value_id from choice
        where choice.parent_allowed_value_id is not null
    )
order by row_number() over (partition by lacking.n order by lacking.id, lacking.color_id, lacking.size_id), lacking.n
limit 11000;

-- name: of_other_sizes(organization_id, ids, size_range_ids)
-- The styles $2 with live SKUs or prices in sizes of other size ranges than $3.
select sent.id
from unnest($2::bigint[], $3::bigint[]) as sent(id, range_id)
where exists (
    select 1
    from style_sku sku
    cross join lateral ({{* from size_range_size by sku.size_range_size_id}}) as size
    where sku.organization_id = $1::bigint and sku.style_id = sent.id and sku.state <> 'deleted'
        and size.size_range_id is distinct from sent.range_id
)
or exists (
    select 1
    from style_price price
    cross join lateral ({{* from size_range_size by price.size_range_size_id}}) as size
    where price.organization_id = $1::bigint and price.style_id = sent.id
        and size.size_range_id is distinct from sent.range_id
);

-- name: restored
-- Part of check.
select item.n, stored.id as owner_id, null::bigint as part_id
from rows from (jsonb_to_recordset($2::jsonb) as (id bigint, state text)) with ordinality as item(id, state, n)
cross join lateral ({{* from style by item.id}}) as stored
where stored.state = 'deleted' and item.state <> 'deleted'

-- name: shown_in_style_skus(organization_id, ids)
select id from style_sku where organization_id = $1::bigint and style_id = any($2::bigint[]);

-- Values of styles in custom fields (contract, Custom field values).

-- name: choices(organization_id, field_ids)
select id, custom_field_id, value, user_defined_id, parent_allowed_value_id
from style_allowed_value
where organization_id = $1::bigint and custom_field_id = any($2::bigint[]);

-- name: color_styles(organization_id, style_color_ids)
select id, style_id from style_color
where organization_id = $1::bigint and id = any($2::bigint[]) and state <> 'deleted';

-- name: fields(organization_id, field_ids)
-- Fields differ per color and size as the first of their parents does.
with recursive line as (
    select f.id as field_id, f.parent_custom_field_id as parent_id, f.diff_per_color, f.diff_per_size
    from style_custom_field f
    where f.organization_id = $1::bigint and f.id = any($2::bigint[])
    union all
    select line.field_id, parent.parent_custom_field_id, parent.diff_per_color, parent.diff_per_size
    from line
    cross join lateral ({{* from style_custom_field by line.parent_id}}) as parent
)
select
    f.id,
    f.type,
    f.max_char,
    f.allowed_decimals,
    f.parent_custom_field_id as parent_id,
    line.diff_per_color,
    line.diff_per_size,
    array(
        select link.brand_id from custom_field_brand link
        where link.organization_id = $1::bigint and link.custom_field_id = f.id
    ) as brand_ids,
    array(
        select link.group_id from custom_field_group link
        where link.organization_id = $1::bigint and link.custom_field_id = f.id
    ) as group_ids,
    array(
        select link.style_category_id from custom_field_style_category link
        where link.organization_id = $1::bigint and link.custom_field_id = f.id
    ) as category_ids
from line
cross join lateral ({{* from style_custom_field by line.field_id}}) as f
where line.parent_id is null;

-- name: fields_by_key(organization_id, keys)
select user_defined_id as key, id, type from style_custom_field
where organization_id = $1::bigint and user_defined_id = any($2::text[]) and state <> 'deleted';

-- name: hold_fields(organization_id, field_ids)
-- Lock the fields and their parents, so that they stay as they are until the end of the transaction.
with recursive line as (
    select f.id, f.parent_custom_field_id as parent_id
    from style_custom_field f
    where f.organization_id = $1::bigint and f.id = any($2::bigint[])
    union
    select parent.id, parent.parent_custom_field_id
    from line
    cross join lateral ({{id, parent_custom_field_id from style_custom_field by line.parent_id}}) as parent
)
select f.id from style_custom_field f
where f.organization_id = $1::bigint and f.id = any(array(select line.id from line))
order by f.id
for share of f;

-- name: styles(organization_id, style_ids)
select
    style.id,
    style.size_range_id,
    array_remove(array[style.brand_id], null) as brand_ids,
    array(
        select link.group_id from style_in_group link
        where link.organization_id = $1::bigint and link.style_id = style.id
    ) as group_ids,
    array_remove(array[style.style_category_id], null) as category_ids
from style
where style.organization_id = $1::bigint and style.id = any($2::bigint[]);

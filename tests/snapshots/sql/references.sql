-- references: SQL statements as they are sent; only line breaks and indents differ.

-- references.language_by_key: Read each language that references name by its own key.
--   $1::bigint organization_id
--   $2::text[] keys
-- Languages are shared by all organizations. The organization is a parameter, as in every statement.
select id, lower(code) as key, null::bigint as within_id, true as is_live
from language
where $1::bigint is not null and lower(code) = any($2::text[]);

-- references.brand_by_key: Read each brand that references name by its own key.
--   $1::bigint organization_id
--   $2::text[] keys
select id, custom_id as key, null::bigint as within_id, state <> 'deleted' as is_live from brand
where organization_id = $1::bigint and id = any(array(
    select one.id from brand one where one.organization_id = $1::bigint and one.custom_id = any($2::text[])
))
order by id;
-- If only the lock is left to check:
--   + for key share

-- references.color_group_by_key: Read each color group that references name by its own key.
--   $1::bigint organization_id
--   $2::text[] keys
select id, user_defined_id as key, null::bigint as within_id, state <> 'deleted' as is_live from color_group
where organization_id = $1::bigint and id = any(array(
    select one.id from color_group one where one.organization_id = $1::bigint
        and one.user_defined_id = any($2::text[])
))
order by id;
-- If only the lock is left to check:
--   + for key share

-- references.color_by_key: Read each color that references name by its own key.
--   $1::bigint organization_id
--   $2::text[] keys
select id, user_defined_id as key, null::bigint as within_id, state <> 'deleted' as is_live from color
where organization_id = $1::bigint and id = any(array(
    select one.id from color one where one.organization_id = $1::bigint
        and one.user_defined_id = any($2::text[])
))
order by id;
-- If only the lock is left to check:
--   + for key share

-- references.compliance_custom_field_by_key: Read each compliance custom field that references name by its own key.
--   $1::bigint organization_id
--   $2::text[] keys
select id, user_defined_id as key, null::bigint as within_id, state <> 'deleted' as is_live
    from compliance_custom_field
where organization_id = $1::bigint and id = any(array(
    select one.id from compliance_custom_field one where one.organization_id = $1::bigint
        and one.user_defined_id = any($2::text[])
))
order by id;
-- If only the lock is left to check:
--   + for key share

-- references.style_group_by_key: Read each group that references name by its own key.
--   $1::bigint organization_id
--   $2::text[] keys
select id, user_defined_id as key, null::bigint as within_id, state <> 'deleted' as is_live from style_group
where organization_id = $1::bigint and id = any(array(
    select one.id from style_group one where one.organization_id = $1::bigint
        and one.user_defined_id = any($2::text[])
))
order by id;
-- If only the lock is left to check:
--   + for key share

-- references.item_category_by_key: Read each item category that references name by its own key.
--   $1::bigint organization_id
--   $2::text[] keys
select id, name as key, null::bigint as within_id, state <> 'deleted' as is_live from item_category
where organization_id = $1::bigint and id = any(array(
    select one.id from item_category one where one.organization_id = $1::bigint and one.name = any($2::text[])
))
order by id;
-- If only the lock is left to check:
--   + for key share

-- references.sample_request_by_key: Read each sample request that references name by its own key.
--   $1::bigint organization_id
--   $2::text[] keys
--   $3::bigint[] style_ids
select id, name as key, style_id as within_id, true as is_live from sample_request
where organization_id = $1::bigint and -- Own keys within records with the ids $3. The offset makes the planner look keys up one by one, not read all records.
id = any(array(
    select found.id
    from unnest($2::text[], $3::bigint[]) as sent(key, within_id)
    cross join lateral (
        select one.id from sample_request one
        where one.organization_id = $1::bigint and one.style_id = sent.within_id and one.name = sent.key
        offset 0
    ) as found
))
order by id;

-- references.size_range_by_key: Read each size range that references name by its own key.
--   $1::bigint organization_id
--   $2::text[] keys
select id, user_defined_id as key, null::bigint as within_id, state <> 'deleted' as is_live from size_range
where organization_id = $1::bigint and id = any(array(
    select one.id from size_range one where one.organization_id = $1::bigint
        and one.user_defined_id = any($2::text[])
))
order by id;
-- If only the lock is left to check:
--   + for key share

-- references.style_category_by_key: Read each style category that references name by its own key.
--   $1::bigint organization_id
--   $2::text[] keys
select id, user_defined_id as key, null::bigint as within_id, state <> 'deleted' as is_live
    from style_category
where organization_id = $1::bigint and id = any(array(
    select one.id from style_category one where one.organization_id = $1::bigint
        and one.user_defined_id = any($2::text[])
))
order by id;
-- If only the lock is left to check:
--   + for key share

-- references.style_custom_field_by_key: Read each style custom field that references name by its own key.
--   $1::bigint organization_id
--   $2::text[] keys
select id, user_defined_id as key, null::bigint as within_id, state <> 'deleted' as is_live
    from style_custom_field
where organization_id = $1::bigint and id = any(array(
    select one.id from style_custom_field one where one.organization_id = $1::bigint
        and one.user_defined_id = any($2::text[])
))
order by id;
-- If only the lock is left to check:
--   + for key share

-- references.style_by_key: Read each style that references name by its own key.
--   $1::bigint organization_id
--   $2::text[] keys
select id, number as key, null::bigint as within_id, state <> 'deleted' as is_live from style
where organization_id = $1::bigint and id = any(array(
    select one.id from style one where one.organization_id = $1::bigint and one.number = any($2::text[])
))
order by id;
-- If only the lock is left to check:
--   + for key share

-- references.sub_supplier_by_key: Read each sub-supplier that references name by its own key.
--   $1::bigint organization_id
--   $2::text[] keys
select id, custom_id as key, null::bigint as within_id, state <> 'deleted' as is_live from sub_supplier
where organization_id = $1::bigint and id = any(array(
    select one.id from sub_supplier one where one.organization_id = $1::bigint
        and one.custom_id = any($2::text[])
))
order by id;
-- If only the lock is left to check:
--   + for key share

-- references.size_range_size_by_key: Read each size that references name by its own key.
--   $1::bigint organization_id
--   $2::text[] keys
--   $3::bigint[] size_range_ids
select id, name as key, size_range_id as within_id, not is_deactivated as is_live from size_range_size
where organization_id = $1::bigint and -- Own keys within records with the ids $3. The offset makes the planner look keys up one by one, not read all records.
id = any(array(
    select found.id
    from unnest($2::text[], $3::bigint[]) as sent(key, within_id)
    cross join lateral (
        select one.id from size_range_size one
        where one.organization_id = $1::bigint and one.size_range_id = sent.within_id and one.name = sent.key
        offset 0
    ) as found
))
order by id;

-- references.measurement_line_by_key: Read each line that references name by its own key.
--   $1::bigint organization_id
--   $2::text[] keys
--   $3::bigint[] style_ids
select id, name as key, style_id as within_id, not is_deactivated as is_live from measurement_line
where organization_id = $1::bigint and -- Own keys within records with the ids $3. The offset makes the planner look keys up one by one, not read all records.
id = any(array(
    select found.id
    from unnest($2::text[], $3::bigint[]) as sent(key, within_id)
    cross join lateral (
        select one.id from measurement_line one
        where one.organization_id = $1::bigint and one.style_id = sent.within_id and one.name = sent.key
        offset 0
    ) as found
))
order by id;

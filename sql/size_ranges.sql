-- Size ranges and their sizes (contract, Size ranges). Without the Pro module no grading is
-- advanced, whatever was stored while the organization had it.

-- name: delete
update size_range set state = 'deleted'
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
returning id;

-- name: demote
update size_range set is_default = false
from jsonb_to_recordset($2::jsonb) as item(id bigint, "isDefault" boolean)
where size_range.organization_id = $1::bigint and size_range.is_default
    and item."isDefault" and item.id <> size_range.id
returning size_range.id;

-- name: documents
with record as (
    select
        r.organization_id,
        r.id,
        r.name,
        r.user_defined_id,
        r.state,
        r.is_advanced_grading and o.pro as is_advanced_grading,
        r.is_default,
        r.default_grading_size_id,
        s.name as default_grading_size_name
    from size_range r
    join organization o on o.id = $1::bigint
    left join size_range_size s on s.organization_id = $1::bigint and s.id = r.default_grading_size_id
    where r.organization_id = $1::bigint
),
page as materialized (
    {{page}}
),
sizes as (
    select
        size_range_id,
        string_agg(
            '{"id":' || id
            || ',"name":' || to_json(name)
            || coalesce(',"sizeId":' || to_json(size_id), '')
            || coalesce(',"relatedSizeRangeSizeId":' || related_size_range_size_id, '')
            || coalesce(',"gradingGroupId":' || grading_group_id, '') || '}',
            ',' order by id
        ) as documents
    from size_range_size
    where organization_id = $1::bigint and size_range_id = any(array(select id from page))
        and not is_deactivated
    group by size_range_id
)
select
    page_order,
    sort_values,
    '{"id":' || id
    || ',"name":' || to_json(name)
    || ',"state":"' || state
    || '","userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null')
    || ',"isAdvancedGrading":' || is_advanced_grading
    || ',"isDefault":' || is_default
    || coalesce(',"defaultGradingSizeId":' || default_grading_size_id, '')
    || coalesce(',"defaultGradingSizeName":' || to_json(default_grading_size_name), '')
    || ',"sizes":[' || coalesce(sizes.documents, '') || '],"properties":[]}' as document
from page
left join sizes on sizes.size_range_id = page.id;

-- name: in_use
select id, 'Used by the organization as its default: 1.' as message
from size_range
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[]) and is_default;

-- name: insert
insert into size_range (
    organization_id, id, name, user_defined_id, state, is_advanced_grading, is_default
)
select
    $1::bigint,
    item.id,
    item.name,
    item."userDefinedId",
    coalesce(item.state, 'active'),
    coalesce(item."isAdvancedGrading" and o.pro, false),
    coalesce(item."isDefault", false)
from jsonb_to_recordset($2::jsonb) as item(
    id bigint, name text, "userDefinedId" text, state text, "isAdvancedGrading" boolean, "isDefault" boolean
)
join organization o on o.id = $1::bigint
returning id;

-- name: update
with wanted as materialized (
    select
        item.id,
        item.name,
        item."userDefinedId" as user_defined_id,
        item.state,
        coalesce(item."isAdvancedGrading" and o.pro, false) as is_advanced_grading,
        item."isDefault" as is_default
    from jsonb_to_recordset($2::jsonb) as item(
        id bigint, name text, "userDefinedId" text, state text, "isAdvancedGrading" boolean, "isDefault" boolean
    )
    join organization o on o.id = $1::bigint
)
update size_range
set
    name = wanted.name,
    user_defined_id = wanted.user_defined_id,
    state = wanted.state,
    is_advanced_grading = wanted.is_advanced_grading,
    is_default = coalesce(wanted.is_default, size_range.is_default)
from wanted
where size_range.organization_id = $1::bigint and size_range.id = wanted.id
    and (
        size_range.name, size_range.user_defined_id, size_range.state, size_range.is_advanced_grading,
        size_range.is_default
    ) is distinct from (
        wanted.name, wanted.user_defined_id, wanted.state, wanted.is_advanced_grading,
        coalesce(wanted.is_default, size_range.is_default)
    )
returning size_range.id;

-- name: writables
with record as (
    select
        r.id,
        r.name,
        r.user_defined_id,
        r.state,
        r.is_advanced_grading and o.pro as is_advanced_grading,
        r.is_default
    from size_range r
    join organization o on o.id = $1::bigint
    where r.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    '{"name":' || to_json(name)
    || ',"state":"' || state
    || '","userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null')
    || ',"isAdvancedGrading":' || is_advanced_grading
    || ',"isDefault":' || is_default || '}' as document
from page;

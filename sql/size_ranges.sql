-- Size ranges and their sizes (contract, Size ranges). Without the Pro module advanced grading is shown as false, even
-- if true is stored from before.

-- name: check(organization_id, items)
-- A size range can be restored only if the sizes that its sizes relate to are live, or restored with it.
with item as materialized (
    select item.*
    from rows from (jsonb_to_recordset($2::jsonb) as (id bigint, state text)) with ordinality as item(id, state, n)
)
select
    item.n::integer as item,
    'validation_error.unknown_reference' as type,
    '["state"]' as path,
    'A size relates to a size of a deleted size range.' as message
from item
cross join lateral ({{* from size_range by item.id}}) as stored
where stored.state = 'deleted' and item.state <> 'deleted'
    and exists (
        select 1
        from (
            select size.related_size_range_size_id as related_id from size_range_size size
            where size.organization_id = $1::bigint and size.size_range_id = item.id
            offset 0
        ) as size
        cross join lateral (
            select related.size_range_id from size_range_size related
            where related.organization_id = $1::bigint and related.id = size.related_id
            offset 0
        ) as related
        cross join lateral ({{* from size_range by related.size_range_id}}) as target
        where target.state = 'deleted'
            and not exists (select 1 from item restored where restored.id = target.id and restored.state <> 'deleted')
    );

-- name: delete(organization_id, ids)
update size_range set state = 'deleted'
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
returning id;

-- name: demote(organization_id, items)
update size_range set is_default = false
from jsonb_to_recordset($2::jsonb) as item(id bigint, "isDefault" boolean)
where size_range.organization_id = $1::bigint and size_range.is_default
    and item."isDefault" and item.id <> size_range.id
returning size_range.id;

-- name: documents(organization_id)
with record as (
    select
        r.organization_id,
        r.id,
        r.name,
        r.user_defined_id,
        r.source,
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
)
select
    page_order,
    sort_values,
    {{document_scalars}}
    || ',"sizes":[' || coalesce(sizes.documents, '') || '],"properties":[]}' as document
from page
left join lateral (
    select
        string_agg(
            '{"id":' || id
            || ',"name":' || to_json(name)
            || coalesce(',"sizeId":' || to_json(size_id), '')
            || coalesce(',"relatedSizeRangeSizeId":' || related_size_range_size_id, '')
            || coalesce(',"gradingGroupId":' || grading_group_id, '') || '}',
            ',' order by position, id
        ) as documents
    from size_range_size
    where organization_id = $1::bigint and size_range_id = page.id
        and not is_deactivated
) as sizes on true;

-- name: in_use(organization_id, ids, restored_ids, has_successor)
-- Uses of the size ranges to delete. $3 are the restored ones; $4 is true if the default has a successor.
-- The offsets make the planner look up uses by size. Without them, a plan may read all requested sizes of an organization
-- for each size.
with gone as materialized (
    select size.size_range_id as id, size.id as size_id
    from size_range_size size
    where size.organization_id = $1::bigint
        and size.size_range_id = any((select $2::text::bigint[])::bigint[])
),
used as (
    select id, 'the organization as its default' as users, null::bigint as user_id, null::text as key
    from size_range
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
        and is_default and not $4::boolean
    union all
    select style.size_range_id, 'styles', style.id, style.number
    from style
    where style.organization_id = $1::bigint
        and style.size_range_id = any((select $2::text::bigint[])::bigint[]) and style.state <> 'deleted'
    union all
    select gone.id, 'sample requests', request.id, request.name
    from gone
    cross join lateral (
        select requested.sample_request_id from sample_request_size requested
        where requested.organization_id = $1::bigint and requested.size_range_size_id = gone.size_id
        offset 0
    ) requested
    cross join lateral ({{* from sample_request by requested.sample_request_id}}) as request
    union
    select gone.id, 'measurement charts', style.id, style.number
    from gone
    cross join lateral (
        select line.style_id
        from measurement_line_value charted
        cross join lateral ({{* from measurement_line by charted.measurement_line_id}}) as line
        where charted.organization_id = $1::bigint and charted.size_range_size_id = gone.size_id
        offset 0
    ) line
    join lateral ({{* from style by line.style_id}}) as style on style.state <> 'deleted'
    union all
    select gone.id, 'style skus', sku.id, sku.sku
    from gone
    cross join lateral (
        select style_sku.id, style_sku.sku from style_sku
        where style_sku.organization_id = $1::bigint and style_sku.size_range_size_id = gone.size_id
            and style_sku.state <> 'deleted'
        offset 0
    ) as sku
    union
    select gone.id, 'styles', style.id, style.number
    from gone
    cross join lateral (
        select entry.style_id from custom_field_value entry
        where entry.organization_id = $1::bigint and entry.size_range_size_id = gone.size_id
        offset 0
    ) entry
    join lateral ({{* from style by entry.style_id}}) as style on style.state <> 'deleted'
    union
    select gone.id, 'styles', style.id, style.number
    from gone
    cross join lateral (
        select price.style_id from style_price price
        where price.organization_id = $1::bigint and price.size_range_size_id = gone.size_id
        offset 0
    ) price
    join lateral ({{* from style by price.style_id}}) as style on style.state <> 'deleted'
    union
    select gone.id, 'style items', style.id, style.number
    from gone
    cross join lateral (
        select line.style_id
        from style_item_size entry
        cross join lateral ({{* from style_item by entry.style_item_id}}) as line
        where entry.organization_id = $1::bigint and entry.size_range_size_id = gone.size_id
        offset 0
    ) entry
    join lateral ({{* from style by entry.style_id}}) as style on style.state <> 'deleted'
    union
    select gone.id, 'size ranges', owner.id, owner.user_defined_id
    from gone
    cross join lateral (
        select one.size_range_id from size_range_size one
        where one.organization_id = $1::bigint and one.related_size_range_size_id = gone.size_id
        offset 0
    ) other
    cross join lateral ({{* from size_range by other.size_range_id}}) as owner
    where (owner.state <> 'deleted' or owner.id = any($3::bigint[]))
        and owner.id <> all((select $2::text::bigint[])::bigint[])
)
select
    id,
    users,
    count(*) as uses,
    coalesce(
        (array_agg(json_build_array(user_id, key)::text order by user_id) filter (where user_id is not null))[1:10], '{}'
    ) as first
from used
group by id, users
order by id, users;

-- name: insert(organization_id, items, source)
insert into size_range as stored (
    organization_id, id, name, user_defined_id, state, is_advanced_grading, is_default, source
)
select
    o.id,
    item.id,
    item.name,
    item."userDefinedId",
    coalesce(item.state, 'active'),
    coalesce(item."isAdvancedGrading" and o.pro, false),
    coalesce(item."isDefault", false),
    $3::text
from organization o
cross join jsonb_to_recordset($2::jsonb) as item(
    id bigint, name text, "userDefinedId" text, state text, "isAdvancedGrading" boolean, "isDefault" boolean
)
where o.id = $1::bigint
returning stored.id;

-- name: reliances(organization_id, ids)
-- Pairs of the size ranges $2 in which a size of the first relates to a size of the second.
select distinct owner.id, related.size_range_id as related_id
from unnest($2::bigint[]) as owner(id)
cross join lateral (
    select one.related_size_range_size_id as related_id from size_range_size one
    where one.organization_id = $1::bigint and one.size_range_id between owner.id and owner.id
    order by one.size_range_id
    offset 0
) as size
cross join lateral ({{size_range_id from size_range_size by size.related_id}}) as related
where related.size_range_id = any($2::bigint[]) and related.size_range_id <> owner.id;

-- name: update(organization_id, items)
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
    and size_range.id = any(array(select id from wanted))
    and (
        size_range.name, size_range.user_defined_id, size_range.state, size_range.is_advanced_grading,
        size_range.is_default
    ) is distinct from (
        wanted.name, wanted.user_defined_id, wanted.state, wanted.is_advanced_grading,
        coalesce(wanted.is_default, size_range.is_default)
    )
returning size_range.id;

-- name: writables(organization_id)
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
select page_order, sort_values, {{writable_scalars}} || '}' as document
from page;

-- Sizes of size ranges (contract, Sizes).

-- name: deactivate(organization_id, size_ids)
update size_range_size set is_deactivated = true
where organization_id = $1::bigint and id = any($2::bigint[]) and not is_deactivated
returning size_range_id as id, size_range_id as "size-ranges", id as "cause size-range-sizes.isDeactivated";

-- name: documents(organization_id)
-- Null members are left out of documents; writables have them.
with record as (
    select r.id, r.id as size_range_id, r.state, r.default_grading_size_id
    from size_range r
    where r.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select page_order, sort_values, {{opening}}'[' || coalesce(sizes.documents, '') || ']'{{closing}} as document
from page
left join lateral (
    select
        string_agg(
            '{"id":' || size.id
            || ',"name":' || to_json(size.name)
            || {{nullable}}
            || ',"isDefaultGrading":' || (page.default_grading_size_id is not distinct from size.id)
            || ',"isDeactivated":' || size.is_deactivated || '}',
            ',' order by size.id
        ) as documents
    from size_range_size size
    where size.organization_id = $1::bigint and size.size_range_id = page.id
) as sizes on true;

-- name: filled
exists (
    select 1 from size_range_size part
    where part.organization_id = $1::bigint and part.size_range_id = record.id
)

-- name: insert(organization_id, sizes)
insert into size_range_size as stored (
    organization_id, id, size_range_id, name, size_id, related_size_range_size_id, grading_group_id
)
select
    o.id,
    item.id,
    item."ownerId",
    item.name,
    item."sizeId",
    item."relatedSizeRangeSizeId",
    item."gradingGroupId"
from organization o
cross join jsonb_to_recordset($2::jsonb) as item(
    id bigint, "ownerId" bigint, name text, "sizeId" text, "relatedSizeRangeSizeId" bigint, "gradingGroupId" bigint
)
where o.id = $1::bigint
returning stored.size_range_id as id, stored.size_range_id as "size-ranges";

-- name: mark_default(organization_id, defaults)
-- Set the sizes that grading starts from: $2 has pairs of a size range's id and a size's, or null.
update size_range as stored
set default_grading_size_id = (sent.pair ->> 1)::bigint
from jsonb_array_elements($2::jsonb) as sent(pair)
where stored.organization_id = $1::bigint and stored.id = (sent.pair ->> 0)::bigint
    and stored.default_grading_size_id is distinct from (sent.pair ->> 1)::bigint
returning stored.id, stored.id as "size-ranges";

-- name: needed(organization_id, size_ids, size_range_ids)
-- Return the sizes among $2 in use outside of the size ranges $3.
select gone.id
from unnest($2::bigint[]) as gone(id)
where exists (
        select 1 from sample_request_size requested
        where requested.organization_id = $1::bigint and requested.size_range_size_id = gone.id
    )
    or exists (
        select 1 from measurement_line_value charted
        where charted.organization_id = $1::bigint and charted.size_range_size_id = gone.id
    )
    or exists (
        select 1 from size_range_size other
        where other.organization_id = $1::bigint and other.related_size_range_size_id = gone.id
            and other.size_range_id <> all($3::bigint[])
    );

-- name: remove(organization_id, size_ids)
delete from size_range_size
where organization_id = $1::bigint and id = any($2::bigint[])
returning size_range_id as id, size_range_id as "size-ranges";

-- name: shown_in_measurements(organization_id, ids)
select sample_request_id as id from sample_request_size
where organization_id = $1::bigint and size_range_size_id = any($2::bigint[]);

-- name: shown_in_sample_requests(organization_id, ids)
select sample_request_id as id from sample_request_size
where organization_id = $1::bigint and size_range_size_id = any($2::bigint[]);

-- name: stored(organization_id, size_range_ids)
-- Lock the sizes, so that no other transaction starts to use them.
select size_range_id as owner_id, id, is_deactivated, name, size_id, related_size_range_size_id, grading_group_id
from size_range_size
where organization_id = $1::bigint and size_range_id = any((select $2::text::bigint[])::bigint[])
order by id
for update;

-- name: update(organization_id, sizes)
-- Reactivates deactivated sizes.
update size_range_size as stored
set
    name = item.name,
    size_id = item."sizeId",
    related_size_range_size_id = item."relatedSizeRangeSizeId",
    grading_group_id = item."gradingGroupId",
    is_deactivated = false
from jsonb_to_recordset($2::jsonb) as item(
    id bigint, name text, "sizeId" text, "relatedSizeRangeSizeId" bigint, "gradingGroupId" bigint
)
join size_range_size before on before.organization_id = $1::bigint and before.id = item.id
where stored.organization_id = $1::bigint and stored.id = item.id
    and (
        stored.is_deactivated
        or (stored.name, stored.size_id, stored.related_size_range_size_id, stored.grading_group_id)
        is distinct from (item.name, item."sizeId", item."relatedSizeRangeSizeId", item."gradingGroupId")
    )
returning stored.size_range_id as id, stored.size_range_id as "size-ranges",
    case when stored.name <> before.name then stored.id end as "cause size-range-sizes",
    case when before.is_deactivated then stored.id end as "cause size-range-sizes.isDeactivated";

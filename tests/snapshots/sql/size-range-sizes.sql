-- size-range-sizes: SQL statements as they are sent; only line breaks and indents differ.

-- size-range-sizes.id_by_key: Find the record that a path names by its own key, userDefinedId.
--   $1::bigint organization_id
--   $2::text key
-- Live records with an own key: more than one, if it is ambiguous.
select id from size_range
where organization_id = $1::bigint and user_defined_id = $2::text and state <> 'deleted'
order by id
limit 5;

-- size-range-sizes.read: Read a document.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    -- Null members are left out of documents; writables have them.
    with record as (
        select r.id, r.id as size_range_id, r.state, r.default_grading_size_id
        from size_range r
        where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    sizes as (
        select
            size.size_range_id,
            string_agg(
                '{"id":' || size.id
                || ',"name":' || to_json(size.name)
                || coalesce(',"sizeId":' || to_json(size.size_id)::text, '')
                    || coalesce(',"relatedSizeRangeSizeId":' || size.related_size_range_size_id::text, '')
                    || coalesce(',"gradingGroupId":' || size.grading_group_id::text, '')
                || ',"isDefaultGrading":' || (page.default_grading_size_id is not distinct from size.id)
                || ',"isDeactivated":' || size.is_deactivated || '}',
                ',' order by size.id
            ) as documents
        from size_range_size size
        join page on page.id = size.size_range_id
        where size.organization_id = $1::bigint and size.size_range_id = any(array(select id from page))
        group by size.size_range_id
    )
    select page_order, sort_values, '[' || coalesce(sizes.documents, '') || ']' as document
    from page
    left join sizes on sizes.size_range_id = page.id
) as page;

-- size-range-sizes.read_writable: Read a writable form.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    -- Null members are left out of documents; writables have them.
    with record as (
        select r.id, r.id as size_range_id, r.state, r.default_grading_size_id
        from size_range r
        where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    sizes as (
        select
            size.size_range_id,
            string_agg(
                '{"id":' || size.id
                || ',"name":' || to_json(size.name)
                || ',"sizeId":' || coalesce(to_json(size.size_id)::text, 'null')
                    || ',"relatedSizeRangeSizeId":' || coalesce(size.related_size_range_size_id::text, 'null')
                    || ',"gradingGroupId":' || coalesce(size.grading_group_id::text, 'null')
                || ',"isDefaultGrading":' || (page.default_grading_size_id is not distinct from size.id)
                || ',"isDeactivated":' || size.is_deactivated || '}',
                ',' order by size.id
            ) as documents
        from size_range_size size
        join page on page.id = size.size_range_id
        where size.organization_id = $1::bigint and size.size_range_id = any(array(select id from page))
        group by size.size_range_id
    )
    select page_order, sort_values, '[' || coalesce(sizes.documents, '') || ']' as document
    from page
    left join sizes on sizes.size_range_id = page.id
) as page;

-- size-range-sizes.foreign: Find ids that other organizations own.
--   $1::bigint[] ids
select id from size_range where id = any($1::bigint[]);

-- size-range-sizes.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, state as state, user_defined_id as key, null::bigint as within_id from size_range
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;

-- size-range-sizes.references_of_sizes.relatedSizeRangeSizeId: Lock the records that sizes.relatedSizeRangeSizeId refers to.
--   $1::bigint organization_id
--   $2::bigint[] ids
-- The same for parts of records in size_range. Locks these records, too, so that they are not deleted meanwhile.
select record.id, owner.id as owner_id, owner.state <> 'deleted' as is_live
from size_range_size record
join size_range owner on owner.organization_id = $1::bigint and owner.id = record.size_range_id
where record.organization_id = $1::bigint and record.id = any($2::bigint[])
order by owner.id, record.id
for key share;

-- size-range-sizes.needed: Find the removed sizes that are in use.
--   $1::bigint organization_id
--   $2::bigint[] size_ids
--   $3::bigint[] size_range_ids
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

-- size-range-sizes.stored: Lock and read the stored sizes.
--   $1::bigint organization_id
--   $2::text size_range_ids
-- Lock the sizes, so that no other transaction starts to use them.
select size_range_id as owner_id, id, is_deactivated, name, size_id, related_size_range_size_id,
    grading_group_id
from size_range_size
where organization_id = $1::bigint and size_range_id = any((select $2::text::bigint[])::bigint[])
order by id
for update;

-- size-range-sizes.deactivate: Deactivate removed sizes that are in use.
--   $1::bigint organization_id
--   $2::bigint[] size_ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update size_range_size set is_deactivated = true
    where organization_id = $1::bigint and id = any($2::bigint[]) and not is_deactivated
    returning size_range_id as id, size_range_id as "size-ranges",
        id as "cause size-range-sizes.isDeactivated"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- size-range-sizes.insert: Insert new sizes.
--   $1::bigint organization_id
--   $2::jsonb sizes
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
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
        id bigint, "ownerId" bigint, name text, "sizeId" text, "relatedSizeRangeSizeId" bigint,
            "gradingGroupId" bigint
    )
    where o.id = $1::bigint
    returning stored.size_range_id as id, stored.size_range_id as "size-ranges"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- size-range-sizes.mark_default: Update the sizes that grading starts from.
--   $1::bigint organization_id
--   $2::jsonb defaults
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Set the sizes that grading starts from: $2 has pairs of a size range's id and a size's, or null.
    update size_range as stored
    set default_grading_size_id = (sent.pair ->> 1)::bigint
    from jsonb_array_elements($2::jsonb) as sent(pair)
    where stored.organization_id = $1::bigint and stored.id = (sent.pair ->> 0)::bigint
        and stored.default_grading_size_id is distinct from (sent.pair ->> 1)::bigint
    returning stored.id, stored.id as "size-ranges"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- size-range-sizes.remove: Delete removed sizes.
--   $1::bigint organization_id
--   $2::bigint[] size_ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    delete from size_range_size
    where organization_id = $1::bigint and id = any($2::bigint[])
    returning size_range_id as id, size_range_id as "size-ranges"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- size-range-sizes.update: Update sizes that differ.
--   $1::bigint organization_id
--   $2::jsonb sizes
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
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
        case when before.is_deactivated then stored.id end as "cause size-range-sizes.isDeactivated"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- size-range-sizes.shown_in_measurements: Find the measurements that show changed records, for the change feed.
--   $1::bigint organization_id
--   $2::bigint[] ids
--   $3::bigint after_id
--   $4::integer limit
--   $5::bigint record_id
-- Ids of records that show the changed ones, after id $3.
select distinct shown.id
from (
    select sample_request_id as id from sample_request_size
    where organization_id = $1::bigint and size_range_size_id = any($2::bigint[])
) as shown
where shown.id > $3::bigint and ($5::bigint is null or shown.id = $5::bigint)
order by shown.id
limit $4::integer;

-- size-range-sizes.shown_in_sample_requests: Find the sample-requests that show changed records, for the change feed.
--   $1::bigint organization_id
--   $2::bigint[] ids
--   $3::bigint after_id
--   $4::integer limit
--   $5::bigint record_id
-- Ids of records that show the changed ones, after id $3.
select distinct shown.id
from (
    select sample_request_id as id from sample_request_size
    where organization_id = $1::bigint and size_range_size_id = any($2::bigint[])
) as shown
where shown.id > $3::bigint and ($5::bigint is null or shown.id = $5::bigint)
order by shown.id
limit $4::integer;

-- Measured values of one size of a sample request ($3) of a style ($2), and of all sizes of sample requests (contract,
-- Measurement read). Numbers are returned exactly as stored.

-- name: documents(organization_id, style_id, sample_request_id)
-- The offset makes the planner look up sizes by request. Without it, a plan may start from a size of many requests.
with record as (
    select
        requested.size_range_size_id as id,
        size.name as size_range_size_name,
        size.is_deactivated,
        size.size_range_id,
        size.position,
        request.unit,
        requested.designer_comment,
        requested.is_approved,
        requested.is_designer_visible_only
    from sample_request request
    cross join lateral (
        select stored.*
        from sample_request_size stored
        where stored.organization_id = $1::bigint and stored.sample_request_id = $3::bigint
        offset 0
    ) as requested
    join size_range_size size
        on size.organization_id = $1::bigint and size.id = requested.size_range_size_id
    where request.organization_id = $1::bigint and request.id = $3::bigint and request.style_id = $2::bigint
),
page as (
    {{page}}
)
select page_order, sort_values, {{size}} as document
from page
cross join lateral (
    select {{lines}} as documents
    from sample_request_measurement measured
    {{line}}
    where measured.organization_id = $1::bigint and measured.sample_request_id = $3::bigint
        and measured.size_range_size_id = page.id{{shown_lines}}
) as lines;

-- name: documents_by_owner(organization_id)
with record as (
    select r.id, r.id as sample_request_id, r.unit from sample_request r where r.organization_id = $1::bigint
),
page as materialized (
    {{page}}
),
requested as materialized (
    select
        sent.sample_request_id,
        sent.size_range_size_id as id,
        size.name as size_range_size_name,
        size.is_deactivated,
        size.size_range_id,
        size.position,
        page.unit,
        sent.designer_comment,
        sent.is_approved,
        sent.is_designer_visible_only
    from page
    cross join lateral (
        select stored.*
        from sample_request_size stored
        where stored.organization_id = $1::bigint and stored.sample_request_id = page.id
        offset 0
    ) as sent
    cross join lateral (
        select stored.name, stored.is_deactivated, stored.size_range_id, stored.position
        from size_range_size stored
        where stored.organization_id = $1::bigint and stored.id = sent.size_range_size_id
        offset 0
    ) as size
),
lines as materialized (
    select measured.sample_request_id, measured.size_range_size_id, {{lines}} as documents
    from sample_request_measurement measured
    {{line}}
    where measured.organization_id = $1::bigint
        and measured.sample_request_id = any(array(select id from page)){{shown_lines}}
    group by measured.sample_request_id, measured.size_range_size_id
),
sizes as (
    select requested.sample_request_id, string_agg({{size}}, ',' order by requested.size_range_id, requested.position, requested.id) as documents
    from requested
    left join lines
        on lines.sample_request_id = requested.sample_request_id and lines.size_range_size_id = requested.id
    group by requested.sample_request_id
)
select
    page_order,
    sort_values,
    '{"sampleRequestId":' || page.id || ',"sizes":[' || coalesce(sizes.documents, '') || ']}' as document
from page
left join sizes on sizes.sample_request_id = page.id;

-- name: filled
(
    select true from sample_request_size part
    where part.organization_id = $1::bigint and part.sample_request_id between record.id and record.id
    order by part.sample_request_id
    limit 1
)

-- name: images
-- Part of rows_and_images: forms of the requested sizes of sample requests.
select
    sent.sample_request_id as record_id,
    sent.size_range_size_id as part_id,
    '{' || {{writable_size}} as document
from sample_request_size sent
left join lateral (
    select {{writable_lines}} as documents
    from sample_request_measurement measured
    {{line}}
    where measured.organization_id = $1::bigint and measured.sample_request_id = sent.sample_request_id
        and measured.size_range_size_id = sent.size_range_size_id and not line.is_deactivated
) as lines on true
where sent.organization_id = $1::bigint and sent.sample_request_id = any(array({{ids}}))

-- name: line
-- In an order that the index by id alone has (decision 0006).
cross join lateral (
    select stored.*
    from measurement_line stored
    where stored.organization_id = $1::bigint
        and stored.id between measured.measurement_line_id and measured.measurement_line_id
    order by stored.id
    limit 1
) as line

-- name: lines
-- Part of documents.
string_agg(
    '{"lineId":' || case when line.is_deactivated then 'null' else line.id::text end
    || ',"name":' || coalesce(to_json(line.name)::text, 'null')
    || ',"requestedMeasurement":' || coalesce(measured.requested_measurement::text, 'null')
    || ',"companyMeasurement":' || coalesce(measured.company_measurement::text, 'null')
    || ',"supplierMeasurement":' || coalesce(measured.supplier_measurement::text, 'null')
    || ',"newMeasurement":' || coalesce(measured.new_measurement::text, 'null')
    || ',"tolerance":'
    || case when line.is_deactivated then 'null' else coalesce(line.tolerance::text, 'null') end
    || '}',
    ',' order by line.position, line.id
)

-- name: lock(organization_id, size_ids, style_id, sample_request_id)
-- Lock the requested size and its request, so that changes of the request's sizes wait.
select
    requested.size_range_size_id as id,
    'active' as state,
    request.name as key,
    request.style_id as within_id
from sample_request request
join sample_request_size requested
    on requested.organization_id = $1::bigint and requested.sample_request_id = request.id
where request.organization_id = $1::bigint and request.id = $4::bigint and request.style_id = $3::bigint
    and requested.size_range_size_id = any((select $2::text::bigint[])::bigint[])
for no key update of request, requested;

-- name: measured_lines(organization_id, sample_request_ids, size_ids)
-- Lines, with their measured values and the members of their size, of the sizes $3 of the requests $2; a row without
-- a line for a requested size that has none. The orders are those of the indexes by request (decision 0006).
select
    requested.sample_request_id as request_id,
    requested.size_range_size_id as size_id,
    requested.designer_comment as "designerComment",
    requested.is_approved as approved,
    requested.is_designer_visible_only as "designerVisibleOnly",
    lines.line_id,
    lines.is_deactivated,
    lines."companyMeasurement",
    lines."supplierMeasurement",
    lines."newMeasurement"
from unnest($2::bigint[], $3::bigint[]) as sent(request_id, size_id)
cross join lateral (
    select size.*
    from sample_request_size size
    where size.organization_id = $1::bigint and size.sample_request_id between sent.request_id and sent.request_id
    order by size.sample_request_id
    offset 0
) as requested
left join lateral (
    select
        line.id as line_id,
        line.is_deactivated,
        measured.company_measurement::text as "companyMeasurement",
        measured.supplier_measurement::text as "supplierMeasurement",
        measured.new_measurement::text as "newMeasurement"
    from (
        select stored.* from sample_request_measurement stored
        where stored.organization_id = $1::bigint
            and stored.sample_request_id between sent.request_id and sent.request_id
            and stored.size_range_size_id = sent.size_id
        order by stored.sample_request_id
        offset 0
    ) as measured
    {{line}}
) as lines on true
where requested.size_range_size_id = sent.size_id;

-- name: order_of_all
record.size_range_id, record.position, record.id

-- name: size
-- Part of documents.
'{"sizeRangeSizeId":' || id
    || ',"sizeRangeSizeName":' || to_json(size_range_size_name)
    || ',"unit":' || coalesce(to_json(unit)::text, 'null')
    || ',"designerComment":' || coalesce(to_json(designer_comment)::text, 'null')
    || ',"properties":' || to_json(array_remove(
        array[
            case when is_approved then 'approved' end,
            case when is_designer_visible_only then 'designerVisibleOnly' end,
            case when is_deactivated then 'sizeDeactivated' end
        ],
        null
    ))
    || ',"lines":[' || coalesce(lines.documents, '') || ']}'

-- name: size_by_name(organization_id, forms, style_id, sample_request_id)
-- The requested sizes with a name: they can be of several size ranges.
select size.id
from sample_request request
join sample_request_size requested
    on requested.organization_id = $1::bigint and requested.sample_request_id = request.id
join size_range_size size
    on size.organization_id = $1::bigint and size.id = requested.size_range_size_id and size.name = any($2::text[])
where request.organization_id = $1::bigint and request.id = $4::bigint and request.style_id = $3::bigint
order by size.id
limit 5;

-- name: unknown_parent(organization_id, style_id, sample_request_id)
select case
    when not exists (select 1 from style where organization_id = $1::bigint and id = $2::bigint)
        then 'styleId'
    when not exists (
        select 1 from sample_request
        where organization_id = $1::bigint and id = $3::bigint and style_id = $2::bigint
    )
        then 'sampleRequestId'
end as parameter;

-- name: update(organization_id, items)
update sample_request_size as stored
set
    designer_comment = item."designerComment",
    is_approved = item.approved,
    is_designer_visible_only = item."designerVisibleOnly"
from jsonb_to_recordset($2::jsonb) as item(
    "requestId" bigint, "sizeId" bigint, "designerComment" text, approved boolean, "designerVisibleOnly" boolean
)
where stored.organization_id = $1::bigint and stored.sample_request_id = item."requestId"
    and stored.size_range_size_id = item."sizeId"
    and (stored.designer_comment, stored.is_approved, stored.is_designer_visible_only)
    is distinct from (item."designerComment", item.approved, item."designerVisibleOnly")
returning stored.sample_request_id as id, stored.size_range_size_id as part;

-- name: update_lines(organization_id, lines)
-- Compares values as exact texts.
update sample_request_measurement as stored
set
    company_measurement = item."companyMeasurement",
    supplier_measurement = item."supplierMeasurement",
    new_measurement = item."newMeasurement"
from jsonb_to_recordset($2::jsonb) as item(
    "requestId" bigint, "sizeId" bigint, "lineId" bigint,
    "companyMeasurement" numeric, "supplierMeasurement" numeric, "newMeasurement" numeric
)
where stored.organization_id = $1::bigint and stored.sample_request_id = item."requestId"
    and stored.size_range_size_id = item."sizeId" and stored.measurement_line_id = item."lineId"
    and (
        stored.company_measurement::text, stored.supplier_measurement::text, stored.new_measurement::text
    ) is distinct from (
        item."companyMeasurement"::text, item."supplierMeasurement"::text, item."newMeasurement"::text
    )
returning stored.sample_request_id as id, stored.size_range_size_id as part;

-- name: writable_lines
-- Part of writables: active lines, with values as texts.
string_agg(
    '{"lineId":' || line.id
    || ',"companyMeasurement":' || coalesce(to_json(measured.company_measurement::text)::text, 'null')
    || ',"supplierMeasurement":' || coalesce(to_json(measured.supplier_measurement::text)::text, 'null')
    || ',"newMeasurement":' || coalesce(to_json(measured.new_measurement::text)::text, 'null') || '}',
    ',' order by line.position, line.id
)

-- name: writable_size
-- Part of writables.
'"designerComment":' || coalesce(to_json(designer_comment)::text, 'null')
    || ',"approved":' || is_approved
    || ',"designerVisibleOnly":' || is_designer_visible_only
    || ',"lines":[' || coalesce(lines.documents, '') || ']}'

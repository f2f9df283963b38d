-- What was measured on the samples of one size of a sample request ($3) of a style ($2)
-- (specification, Sample request measurement). Numbers are answered to the digit as stored.

-- name: documents
with record as (
    select
        requested.size_range_size_id as id,
        size.name as size_range_size_name,
        size.is_deactivated,
        request.unit,
        requested.designer_comment,
        requested.is_approved,
        requested.is_designer_visible_only
    from sample_request request
    join sample_request_size requested
        on requested.organization_id = $1::bigint and requested.sample_request_id = request.id
    join size_range_size size
        on size.organization_id = $1::bigint and size.id = requested.size_range_size_id
    where request.organization_id = $1::bigint and request.id = $3::bigint and request.style_id = $2::bigint
),
page as materialized (
    {{page}}
),
lines as (
    select
        measured.size_range_size_id,
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
            ',' order by line.id
        ) as documents
    from sample_request_measurement measured
    join measurement_line line
        on line.organization_id = $1::bigint and line.id = measured.measurement_line_id
    where measured.organization_id = $1::bigint and measured.sample_request_id = $3::bigint
        and measured.size_range_size_id = any(array(select id from page))
    group by measured.size_range_size_id
)
select
    page_order,
    sort_values,
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
    || ',"lines":[' || coalesce(lines.documents, '') || ']}' as document
from page
left join lines on lines.size_range_size_id = page.id;

-- name: unknown_parent
select case
    when not exists (select 1 from style where organization_id = $1::bigint and id = $2::bigint)
        then 'styleId'
    when not exists (
        select 1 from sample_request
        where organization_id = $1::bigint and id = $3::bigint and style_id = $2::bigint
    )
        then 'sampleRequestId'
end as parameter;

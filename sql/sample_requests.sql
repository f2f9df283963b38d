-- Sample requests of styles, and their requested sizes (contract, Sample requests).

-- name: check(organization_id, items)
-- Reports a changed style, unit or requested values; requested values of inactive lines or of sizes that are not
-- requested; new sizes that are deactivated or of a deleted size range; and removed sizes with measured values.
with item as materialized (
    select sent.id, sent.style_id, sent.unit, sent.requested, sent.n,
        case jsonb_typeof(sent.sizes) when 'array' then sent.sizes else '[]' end as sizes
    from rows from (
        jsonb_to_recordset($2::jsonb)
            as (id bigint, "styleId" bigint, "sizeRangeSizeIds" jsonb, unit text, requested jsonb)
    ) with ordinality as sent(id, style_id, sizes, unit, requested, n)
),
wanted as materialized (
    select item.id, item.n, size.id::bigint as size_id, size.n as place
    from item
    cross join lateral jsonb_array_elements_text(item.sizes) with ordinality as size(id, n)
)
select item.n::integer as item, 'validation_error.read_only_field' as type, '["styleId"]' as path,
    'The style of a sample request stays.' as message
from item
cross join lateral ({{* from sample_request by item.id}}) as stored
where stored.style_id <> item.style_id
union all
select item.n::integer, 'validation_error.read_only_field', '["unit"]', 'The unit of a sample request stays.'
from item
cross join lateral ({{* from sample_request by item.id}}) as stored
where item.unit is distinct from stored.unit and item.unit is not null
union all
-- Of sizes that the item leaves out, the values need not be repeated.
select item.n::integer, 'validation_error.read_only_field', '["requested"]',
    'The requested values of a sample request stay.'
from item
cross join lateral ({{* from sample_request by item.id}}) as stored
where jsonb_typeof(item.requested) = 'array'
    and exists (
        select 1
        from (
            select sent."lineId" as line_id, sent."sizeRangeSizeId" as size_id, sent.value
            from jsonb_to_recordset(item.requested)
                as sent("lineId" bigint, "sizeRangeSizeId" bigint, value numeric)
        ) as sent
        full join (
            select frozen.measurement_line_id as line_id, frozen.size_range_size_id as size_id,
                frozen.requested_measurement as value
            from (
                select one.* from sample_request_measurement one
                where one.organization_id = $1::bigint and one.sample_request_id between item.id and item.id
                    and one.size_range_size_id = any(array(
                        select size.id::bigint from jsonb_array_elements_text(item.sizes) as size(id)
                    ))
                order by one.sample_request_id
                offset 0
            ) as frozen
            where frozen.requested_measurement is not null
        ) as frozen on frozen.line_id = sent.line_id and frozen.size_id = sent.size_id
        where sent.value is distinct from frozen.value
    )
union all
select wanted.n::integer, 'validation_error.unknown_reference',
    json_build_array('sizeRangeSizeIds', wanted.place - 1)::text,
    case when owner.state = 'deleted' then 'The size range is deleted.' else size.name || ' is deactivated.' end
from wanted
cross join lateral ({{* from size_range_size by wanted.size_id}}) as size
cross join lateral ({{* from size_range by size.size_range_id}}) as owner
left join lateral (
    select one.size_range_size_id from sample_request_size one
    where one.organization_id = $1::bigint and one.sample_request_id between wanted.id and wanted.id
        and one.size_range_size_id = wanted.size_id
    order by one.sample_request_id
    limit 1
) as stored on true
where (size.is_deactivated or owner.state = 'deleted') and stored.size_range_size_id is null
union all
select item.n::integer, 'validation_error.unknown_reference',
    json_build_array('requested', sent.n - 1, case when line.id is null then 'lineId' else 'sizeRangeSizeId' end)::text,
    case when line.id is null then 'The chart has no such line.' else 'This size is not requested.' end
from item
cross join lateral rows from (
    jsonb_to_recordset(case jsonb_typeof(item.requested) when 'array' then item.requested else '[]' end)
        as ("lineId" bigint, "sizeRangeSizeId" bigint)
) with ordinality as sent(line_id, size_id, n)
left join lateral ({{* from measurement_line by sent.line_id}}) as line on line.style_id = item.style_id and not line.is_deactivated
left join lateral ({{* from sample_request by item.id}}) as stored on true
where (line.id is null or (item.n, sent.size_id) not in (select wanted.n, wanted.size_id from wanted)) and stored.id is null
union all
select item.n::integer, 'validation_error.duplicate', json_build_array('requested', max(sent.n) - 1, 'lineId')::text,
    'This line and size have a value already.'
from item
cross join lateral rows from (
    jsonb_to_recordset(case jsonb_typeof(item.requested) when 'array' then item.requested else '[]' end)
        as ("lineId" bigint, "sizeRangeSizeId" bigint)
) with ordinality as sent(line_id, size_id, n)
group by item.n, sent.line_id, sent.size_id
having count(*) > 1
union all
select item.n::integer, 'conflict.in_use', '["sizeRangeSizeIds"]', 'Used by measured values: ' || sum(held.measured) || '.'
from item
join (
    select
        measured.sample_request_id as id,
        measured.size_range_size_id as size_id,
        sum(num_nonnulls(company_measurement, supplier_measurement, new_measurement)) as measured
    from sample_request_measurement measured
    where measured.organization_id = $1::bigint
        and measured.sample_request_id = any(array(select id from item))
        and (measured.sample_request_id, measured.size_range_size_id) not in (
            select wanted.id, wanted.size_id from wanted where wanted.id is not null
        )
    group by measured.sample_request_id, measured.size_range_size_id
    having sum(num_nonnulls(company_measurement, supplier_measurement, new_measurement)) > 0
) as held on held.id = item.id
group by item.n;

-- name: documents(organization_id)
-- The offset makes the planner look up sizes request by request. Without it, a plan may read those of all requests.
with record as (
    select r.* from sample_request r where r.organization_id = $1::bigint
        {{of_style}}
),
page as materialized (
    {{page}}
),
sizes as materialized (
    select
        requested.sample_request_id,
        string_agg(
            '{"sizeRangeSizeId":' || s.id || ',"sizeRangeSizeName":' || to_json(s.name) || '}',
            ',' order by s.size_range_id, s.position, s.id
        ) as documents
    from page
    cross join lateral (
        select stored.sample_request_id, stored.size_range_size_id
        from sample_request_size stored
        where stored.organization_id = $1::bigint and stored.sample_request_id = page.id
        offset 0
    ) as requested
    cross join lateral (
        select size.id, size.name, size.size_range_id, size.position
        from size_range_size size
        where size.organization_id = $1::bigint and size.id = requested.size_range_size_id
        offset 0
    ) as s
    group by requested.sample_request_id
)
select
    page_order,
    sort_values,
    {{document_scalars}}
    || ',"sizes":[' || coalesce(sizes.documents, '') || ']}' as document
from page
left join sizes on sizes.sample_request_id = page.id;

-- name: freeze(organization_id, items, new_sizes)
-- Freeze the requested values of new sizes: $3 has pairs of a request id and a size id. Full joins are never nested loops, which
-- compare each value with each; the offsets keep them full. A cluster would pull CTEs to the coordinator.
insert into sample_request_measurement as stored (
    organization_id, sample_request_id, size_range_size_id, measurement_line_id, requested_measurement
)
select
    o.id,
    cell.request_id,
    cell.size_id,
    cell.line_id,
    case when cell.is_sent then cell.own_value else cell.chart_value end
from organization o
cross join (
    select
        line.request_id,
        line.size_id,
        line.id as line_id,
        line.chart_value,
        sent.id is not null as is_sent,
        own.value as own_value
    from (
        select added.request_id, added.size_id, line.id, chart.value as chart_value
        from (
            select (pair ->> 0)::bigint as request_id, (pair ->> 1)::bigint as size_id
            from jsonb_array_elements($3::jsonb) as added(pair)
        ) as added
        full join (
            select one.id, one.style_id from sample_request one
            where one.organization_id = $1::bigint and one.id = any(array(
                select (added.pair ->> 0)::bigint from jsonb_array_elements($3::jsonb) as added(pair)
            ))
        ) as request on request.id = added.request_id
        full join (
            select one.id, one.style_id from measurement_line one
            where one.organization_id = $1::bigint and not one.is_deactivated
                and one.style_id = any(array(
                    select request.style_id
                    from sample_request request
                    where request.organization_id = $1::bigint
                        and request.id = any(array(
                            select (added.pair ->> 0)::bigint from jsonb_array_elements($3::jsonb) as added(pair)
                        ))
                ))
        ) as line on line.style_id = request.style_id
        full join (
            select one.measurement_line_id, one.size_range_size_id, one.value from measurement_line_value one
            where one.organization_id = $1::bigint and one.measurement_line_id = any(array(
                select charted.id from measurement_line charted
                where charted.organization_id = $1::bigint and charted.style_id = any(array(
                    select request.style_id
                    from sample_request request
                    where request.organization_id = $1::bigint
                        and request.id = any(array(
                            select (added.pair ->> 0)::bigint from jsonb_array_elements($3::jsonb) as added(pair)
                        ))
                ))
            ))
        ) as chart on chart.measurement_line_id = line.id and chart.size_range_size_id = added.size_id
        offset 0
    ) as line
    full join (
        select item.id
        from jsonb_to_recordset($2::jsonb) as item(id bigint, requested jsonb)
        where jsonb_typeof(item.requested) = 'array'
    ) as sent on sent.id = line.request_id
    full join (
        select item.id, one."lineId" as line_id, one."sizeRangeSizeId" as size_id, one.value
        from jsonb_to_recordset($2::jsonb) as item(id bigint, requested jsonb)
        cross join lateral jsonb_to_recordset(
            case when jsonb_typeof(item.requested) = 'array' then item.requested end
        ) as one("lineId" bigint, "sizeRangeSizeId" bigint, value numeric)
    ) as own on own.id = line.request_id and own.line_id = line.id and own.size_id = line.size_id
    offset 0
) as cell
where o.id = $1::bigint and cell.line_id is not null and cell.request_id is not null
returning stored.sample_request_id as id;

-- name: hold_charts(organization_id, ids)
-- Lock the styles of requests, so that their charts do not change until the end of the transaction.
select style.id
from style
where style.organization_id = $1::bigint
    and style.id = any(array(
        select request.style_id from sample_request request
        where request.organization_id = $1::bigint and request.id = any($2::bigint[])
    ))
order by style.id
for share;

-- name: insert(organization_id, items, source)
insert into sample_request as stored (
    organization_id, id, style_id, name, unit, sample_type_id, status, deadline, expected_at, tracking_number, comment,
    source
)
select
    o.id,
    item.id,
    item."styleId",
    item.name,
    -- An item with requested values has their unit, too, even if it is null.
    coalesce(item.unit, case when item.requested is null then item.style_unit end),
    item."sampleTypeId",
    coalesce(item.status, 'requested'),
    item.deadline,
    item."expectedAt",
    item."trackingNumber",
    item.comment,
    $3::text
from organization o
cross join (
    -- A full join is never a nested loop; the offset keeps it full.
    select sent.*, style.measurement_unit as style_unit
    from jsonb_to_recordset($2::jsonb) as sent(id bigint, {{new_types}}, requested jsonb)
    full join (
        select one.id, one.measurement_unit from style one
        where one.organization_id = $1::bigint and one.id = any(array(
            select named."styleId" from jsonb_to_recordset($2::jsonb) as named("styleId" bigint)
        ))
    ) as style on style.id = sent."styleId"
    offset 0
) as item
where o.id = $1::bigint and item.id is not null
returning stored.id, stored.sample_type_id as "sample-types";

-- name: new_sizes(organization_id, items)
select item.id, size.id::bigint as size_id
from jsonb_to_recordset($2::jsonb) as item(id bigint, "sizeRangeSizeIds" jsonb)
cross join lateral jsonb_array_elements_text(
    case jsonb_typeof(item."sizeRangeSizeIds") when 'array' then item."sizeRangeSizeIds" else '[]' end
) as size(id)
left join lateral (
    select one.size_range_size_id from sample_request_size one
    where one.organization_id = $1::bigint and one.sample_request_id between item.id and item.id
        and one.size_range_size_id = size.id::bigint
    order by one.sample_request_id
    limit 1
) as stored on true
where stored.size_range_size_id is null;

-- name: of_style
-- Condition of documents: requests of one style.
and r.style_id = $2::bigint;

-- name: purge(organization_id, ids)
delete from sample_request
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
returning id, sample_type_id as "sample-types";

-- name: unknown_parent(organization_id, style_id)
select 'styleId' as parameter
where not exists (select 1 from style where organization_id = $1::bigint and id = $2::bigint);

-- name: update(organization_id, items)
with present as materialized (select now() as moment)
update sample_request as stored
set name = item.name,
    sample_type_id = item."sampleTypeId",
    status = coalesce(item.status, 'requested'),
    deadline = item.deadline,
    expected_at = item."expectedAt",
    tracking_number = item."trackingNumber",
    comment = item.comment,
    status_changed_at = case
        when stored.status = coalesce(item.status, 'requested') then stored.status_changed_at else present.moment
    end
from jsonb_to_recordset($2::jsonb) as item(id bigint, {{types}})
cross join lateral ({{* from sample_request by item.id}}) as before
cross join present
where stored.organization_id = $1::bigint and stored.id = item.id
    and stored.id = any(array(select id from jsonb_to_recordset($2::jsonb) as sent(id bigint)))
    and row(
        stored.name, stored.sample_type_id, stored.status, stored.deadline, stored.expected_at,
        stored.tracking_number, stored.comment
    ) is distinct from row(
        item.name, item."sampleTypeId", coalesce(item.status, 'requested'), item.deadline, item."expectedAt",
        item."trackingNumber", item.comment
    )
returning stored.id,
    nullif(before.sample_type_id, stored.sample_type_id) as "sample-types.before",
    nullif(stored.sample_type_id, before.sample_type_id) as "sample-types.stored";

-- name: writables(organization_id)
with record as (
    select r.* from sample_request r where r.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    {{writable_scalars}}
    || ',"sizeRangeSizeIds":[' || coalesce(sizes.ids, '') || ']}' as document
from page
left join lateral (
    select string_agg(s.id::text, ',' order by s.size_range_id, s.position, s.id) as ids
    from sample_request_size requested
    cross join lateral (
        select size.id, size.size_range_id, size.position
        from size_range_size size
        where size.organization_id = $1::bigint and size.id = requested.size_range_size_id
        offset 0
    ) as s
    where requested.organization_id = $1::bigint and requested.sample_request_id = page.id
) as sizes on true;

-- Measurement charts of styles: their units, their lines, and their requested values by size (contract, Measurement charts).

-- name: deactivate(organization_id, line_ids)
update measurement_line set is_deactivated = true
where organization_id = $1::bigint and id = any($2::bigint[]) and not is_deactivated
returning style_id as id, id as "cause measurement-charts";

-- name: documents(organization_id)
-- Lines and values are aggregated record by record: the planner would aggregate all of them for each line of an
-- organization that the statistics do not know.
with record as (
    select s.id, s.id as style_id, s.state, s.measurement_unit, s.measurement_unit as unit
    from style s
    where s.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    {{opening}}'"unit":' || coalesce(to_json(unit)::text, 'null')
    || ',"lines":[' || coalesce(lines.documents, '') || ']'{{closing}} as document
from page
left join lateral (
    select
        string_agg(
            '{"lineId":' || line.id
            || ',"name":' || coalesce(to_json(line.name)::text, 'null')
            || ',"tolerance":' || coalesce({{tolerance}}, 'null')
            || ',"isDeactivated":' || line.is_deactivated
            || ',"requested":[' || coalesce(requested.documents, '') || ']}',
            ',' order by line.id
        ) as documents
    from measurement_line line
    left join lateral (
        select
            string_agg(
                '{"sizeRangeSizeId":' || charted.size_range_size_id || ',"value":' || {{value}} || '}',
                ',' order by charted.size_range_size_id
            ) as documents
        from measurement_line_value charted
        where charted.organization_id = $1::bigint and charted.measurement_line_id = line.id
    ) as requested on true
    where line.organization_id = $1::bigint and line.style_id = page.id
) as lines on true;

-- name: filled
(
    record.measurement_unit is not null
    or exists (
        select 1 from measurement_line part
        where part.organization_id = $1::bigint and part.style_id = record.id
    )
)

-- name: insert(organization_id, lines)
insert into measurement_line as stored (organization_id, id, style_id, name, tolerance)
select o.id, item.id, item."ownerId", item.name, item.tolerance
from organization o
cross join jsonb_to_recordset($2::jsonb) as item(id bigint, "ownerId" bigint, name text, tolerance numeric)
where o.id = $1::bigint
returning stored.style_id as id;

-- name: needed(organization_id, line_ids, style_ids)
-- Return the lines among $2 of the styles $3 that sample requests use.
select distinct measured.measurement_line_id as id
from sample_request request
join sample_request_measurement measured
    on measured.organization_id = $1::bigint and measured.sample_request_id = request.id
where request.organization_id = $1::bigint and request.style_id = any($3::bigint[])
    and measured.measurement_line_id = any($2::bigint[]);

-- name: remove(organization_id, line_ids)
delete from measurement_line
where organization_id = $1::bigint and id = any($2::bigint[])
returning style_id as id;

-- name: remove_values(organization_id, cells)
-- Cells are arrays of the ids of a style, a line and a size.
with gone as materialized (
    select
        (cell ->> 0)::bigint as style_id,
        (cell ->> 1)::bigint as line_id,
        (cell ->> 2)::bigint as size_id
    from jsonb_array_elements($2::jsonb) as sent(cell)
)
delete from measurement_line_value as stored
using gone
where stored.organization_id = $1::bigint
    and stored.measurement_line_id = gone.line_id and stored.size_range_size_id = gone.size_id
returning gone.style_id as id;

-- name: save_values(organization_id, cells)
-- Cells also have their value.
insert into measurement_line_value (organization_id, measurement_line_id, size_range_size_id, value)
select o.id, (sent.cell ->> 1)::bigint, (sent.cell ->> 2)::bigint, (sent.cell ->> 3)::numeric
from organization o
cross join jsonb_array_elements($2::jsonb) as sent(cell)
where o.id = $1::bigint
on conflict (organization_id, measurement_line_id, size_range_size_id) do update set value = excluded.value
returning null::bigint as id;

-- name: set_unit(organization_id, charts)
update style as stored
set measurement_unit = chart.unit
from jsonb_to_recordset($2::jsonb) as chart(id bigint, unit text)
where stored.organization_id = $1::bigint and stored.id = chart.id
    and stored.measurement_unit is distinct from chart.unit
returning stored.id;

-- name: shown_in_measurements(organization_id, ids)
select distinct measured.sample_request_id as id
from measurement_line line
join sample_request request on request.organization_id = $1::bigint and request.style_id = line.style_id
join sample_request_measurement measured
    on measured.organization_id = $1::bigint and measured.sample_request_id = request.id
        and measured.measurement_line_id = line.id
where line.organization_id = $1::bigint and line.id = any($2::bigint[]);

-- name: stored(organization_id, style_ids)
-- A style without lines has a row, too.
select
    style.id as owner_id,
    line.id,
    line.is_deactivated,
    line.name,
    line.tolerance::text as tolerance,
    style.measurement_unit as unit
from style
left join measurement_line line on line.organization_id = $1::bigint and line.style_id = style.id
where style.organization_id = $1::bigint and style.id = any((select $2::text::bigint[])::bigint[])
order by line.id;

-- name: stored_values(organization_id, style_ids)
select charted.measurement_line_id as line_id, charted.size_range_size_id as size_id, charted.value::text as value
from measurement_line line
cross join lateral (
    select stored.measurement_line_id, stored.size_range_size_id, stored.value
    from measurement_line_value stored
    where stored.organization_id = $1::bigint and stored.measurement_line_id = line.id
    offset 0
) as charted
where line.organization_id = $1::bigint and line.style_id = any((select $2::text::bigint[])::bigint[]);

-- name: tell_charts(organization_id, ids)
-- Record changes of the charts of styles, whose values were saved.
select id from style
where organization_id = $1::bigint and id = any($2::bigint[]);

-- name: update(organization_id, lines)
-- Reactivates deactivated lines. Compares values as exact texts.
update measurement_line as stored
set name = item.name, tolerance = item.tolerance, is_deactivated = false
from jsonb_to_recordset($2::jsonb) as item(id bigint, name text, tolerance numeric)
where stored.organization_id = $1::bigint and stored.id = item.id
    and (
        stored.is_deactivated
        or (stored.name, stored.tolerance::text) is distinct from (item.name, item.tolerance::text)
    )
returning stored.style_id as id, stored.id as "cause measurement-charts";

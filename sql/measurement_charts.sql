-- Measurement charts of styles: their units, their lines, and their requested values by size (contract, Measurement charts).

-- name: filled
(
    record.measurement_unit is not null
    or (
        select true from measurement_line part
        where part.organization_id = $1::bigint and part.style_id between record.id and record.id
        order by part.style_id
        limit 1
    )
)

-- name: needed(organization_id, line_ids, style_ids)
-- Return the lines among $2 of the styles $3 that sample requests use.
select distinct measured.measurement_line_id as id
from sample_request request
join sample_request_measurement measured
    on measured.organization_id = $1::bigint and measured.sample_request_id = request.id
where request.organization_id = $1::bigint and request.style_id = any($3::bigint[])
    and measured.measurement_line_id = any($2::bigint[]);

-- name: record
select s.id, s.id as style_id, s.state, s.measurement_unit, s.measurement_unit as unit
from style s
where s.organization_id = $1::bigint

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

-- name: tell_measured(organization_id, line_ids)
-- Record changes of the measured values that show the lines $2 in another order, again, or no longer.
select distinct measured.sample_request_id as "measurements.form", measured.size_range_size_id as "measurements.part"
from measurement_line line
join sample_request request on request.organization_id = $1::bigint and request.style_id = line.style_id
join sample_request_measurement measured
    on measured.organization_id = $1::bigint and measured.sample_request_id = request.id
        and measured.measurement_line_id = line.id
where line.organization_id = $1::bigint and line.id = any($2::bigint[]);

-- name: units(organization_id, style_ids)
select id from style
where organization_id = $1::bigint and id = any($2::bigint[]) and measurement_unit is not null;

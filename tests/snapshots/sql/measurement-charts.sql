-- measurement-charts: SQL statements as they are sent; only line breaks and indents differ.

-- measurement-charts.id_by_key: Find the record that a path names by its own key, number.
--   $1::bigint organization_id
--   $2::text key
-- Live records with an own key: more than one, if it is ambiguous.
select id from style
where organization_id = $1::bigint and number = $2::text and state <> 'deleted'
order by id
limit 5;

-- measurement-charts.read: Read a document.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    -- The offset makes the planner look up the values line by line. Without it, a plan may read those of all lines.
    with record as (
        select s.id, s.id as style_id, s.state, s.measurement_unit, s.measurement_unit as unit
        from style s
        where s.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    requested as (
        select
            charted.measurement_line_id,
            string_agg(
                '{"sizeRangeSizeId":' || charted.size_range_size_id || ',"value":' || charted.value::text
                    || '}',
                ',' order by charted.size_range_size_id
            ) as documents
        from measurement_line line
        cross join lateral (
            select stored.measurement_line_id, stored.size_range_size_id, stored.value
            from measurement_line_value stored
            where stored.organization_id = $1::bigint and stored.measurement_line_id = line.id
            offset 0
        ) as charted
        where line.organization_id = $1::bigint and line.style_id = any(array(select id from page))
        group by charted.measurement_line_id
    ),
    lines as (
        select
            line.style_id,
            string_agg(
                '{"lineId":' || line.id
                || ',"name":' || coalesce(to_json(line.name)::text, 'null')
                || ',"tolerance":' || coalesce(line.tolerance::text, 'null')
                || ',"isDeactivated":' || line.is_deactivated
                || ',"requested":[' || coalesce(requested.documents, '') || ']}',
                ',' order by line.id
            ) as documents
        from measurement_line line
        left join requested on requested.measurement_line_id = line.id
        where line.organization_id = $1::bigint and line.style_id = any(array(select id from page))
        group by line.style_id
    )
    select
        page_order,
        sort_values,
        '{' || '"unit":' || coalesce(to_json(unit)::text, 'null')
        || ',"lines":[' || coalesce(lines.documents, '') || ']' || '}' as document
    from page
    left join lines on lines.style_id = page.id
) as page;

-- measurement-charts.read_writable: Read a writable form.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    -- The offset makes the planner look up the values line by line. Without it, a plan may read those of all lines.
    with record as (
        select s.id, s.id as style_id, s.state, s.measurement_unit, s.measurement_unit as unit
        from style s
        where s.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    requested as (
        select
            charted.measurement_line_id,
            string_agg(
                '{"sizeRangeSizeId":' || charted.size_range_size_id || ',"value":'
                    || to_json(charted.value::text)::text || '}',
                ',' order by charted.size_range_size_id
            ) as documents
        from measurement_line line
        cross join lateral (
            select stored.measurement_line_id, stored.size_range_size_id, stored.value
            from measurement_line_value stored
            where stored.organization_id = $1::bigint and stored.measurement_line_id = line.id
            offset 0
        ) as charted
        where line.organization_id = $1::bigint and line.style_id = any(array(select id from page))
        group by charted.measurement_line_id
    ),
    lines as (
        select
            line.style_id,
            string_agg(
                '{"lineId":' || line.id
                || ',"name":' || coalesce(to_json(line.name)::text, 'null')
                || ',"tolerance":' || coalesce(to_json(line.tolerance::text)::text, 'null')
                || ',"isDeactivated":' || line.is_deactivated
                || ',"requested":[' || coalesce(requested.documents, '') || ']}',
                ',' order by line.id
            ) as documents
        from measurement_line line
        left join requested on requested.measurement_line_id = line.id
        where line.organization_id = $1::bigint and line.style_id = any(array(select id from page))
        group by line.style_id
    )
    select
        page_order,
        sort_values,
        '{' || '"unit":' || coalesce(to_json(unit)::text, 'null')
        || ',"lines":[' || coalesce(lines.documents, '') || ']' || '}' as document
    from page
    left join lines on lines.style_id = page.id
) as page;

-- measurement-charts.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, state as state, number as key, null::bigint as within_id from style
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;

-- measurement-charts.references_of_lines.requested.sizeRangeSizeId: Lock the records that lines.requested.sizeRangeSizeId refers to.
--   $1::bigint organization_id
--   $2::bigint[] ids
-- The same for parts of records in size_range. Locks these records, too, so that they are not deleted meanwhile.
select record.id, owner.id as owner_id, not record.is_deactivated and owner.state <> 'deleted' as is_live
from size_range_size record
join size_range owner on owner.organization_id = $1::bigint and owner.id = record.size_range_id
where record.organization_id = $1::bigint and record.id = any($2::bigint[])
order by owner.id, record.id
for key share;

-- measurement-charts.needed: Find the removed lines that sample requests use.
--   $1::bigint organization_id
--   $2::bigint[] line_ids
--   $3::bigint[] style_ids
-- Return the lines among $2 of the styles $3 that sample requests use.
select distinct measured.measurement_line_id as id
from sample_request request
join sample_request_measurement measured
    on measured.organization_id = $1::bigint and measured.sample_request_id = request.id
where request.organization_id = $1::bigint and request.style_id = any($3::bigint[])
    and measured.measurement_line_id = any($2::bigint[]);

-- measurement-charts.stored: Read the stored units and lines.
--   $1::bigint organization_id
--   $2::text style_ids
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

-- measurement-charts.stored_values: Read the stored requested values.
--   $1::bigint organization_id
--   $2::text style_ids
select charted.measurement_line_id as line_id, charted.size_range_size_id as size_id,
    charted.value::text as value
from measurement_line line
cross join lateral (
    select stored.measurement_line_id, stored.size_range_size_id, stored.value
    from measurement_line_value stored
    where stored.organization_id = $1::bigint and stored.measurement_line_id = line.id
    offset 0
) as charted
where line.organization_id = $1::bigint and line.style_id = any((select $2::text::bigint[])::bigint[]);

-- measurement-charts.deactivate: Deactivate removed lines that sample requests use.
--   $1::bigint organization_id
--   $2::bigint[] line_ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update measurement_line set is_deactivated = true
    where organization_id = $1::bigint and id = any($2::bigint[]) and not is_deactivated
    returning style_id as id, id as "cause measurement-charts"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- measurement-charts.insert: Insert new lines.
--   $1::bigint organization_id
--   $2::jsonb lines
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into measurement_line as stored (organization_id, id, style_id, name, tolerance)
    select o.id, item.id, item."ownerId", item.name, item.tolerance
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as item(id bigint, "ownerId" bigint, name text,
        tolerance numeric)
    where o.id = $1::bigint
    returning stored.style_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- measurement-charts.remove: Delete removed lines.
--   $1::bigint organization_id
--   $2::bigint[] line_ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    delete from measurement_line
    where organization_id = $1::bigint and id = any($2::bigint[])
    returning style_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- measurement-charts.remove_values: Delete requested values that the request omits.
--   $1::bigint organization_id
--   $2::jsonb cells
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
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
    returning gone.style_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- measurement-charts.save_values: Insert and update requested values.
--   $1::bigint organization_id
--   $2::jsonb cells
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Cells also have their value.
    insert into measurement_line_value (organization_id, measurement_line_id, size_range_size_id, value)
    select o.id, (sent.cell ->> 1)::bigint, (sent.cell ->> 2)::bigint, (sent.cell ->> 3)::numeric
    from organization o
    cross join jsonb_array_elements($2::jsonb) as sent(cell)
    where o.id = $1::bigint
    on conflict (organization_id, measurement_line_id,
        size_range_size_id) do update set value = excluded.value
    returning null::bigint as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- measurement-charts.set_unit: Update units that differ.
--   $1::bigint organization_id
--   $2::jsonb charts
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update style as stored
    set measurement_unit = chart.unit
    from jsonb_to_recordset($2::jsonb) as chart(id bigint, unit text)
    where stored.organization_id = $1::bigint and stored.id = chart.id
        and stored.measurement_unit is distinct from chart.unit
    returning stored.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- measurement-charts.tell_charts: Find the charts whose values were saved.
--   $1::bigint organization_id
--   $2::bigint[] ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Record changes of the charts of styles, whose values were saved.
    select id from style
    where organization_id = $1::bigint and id = any($2::bigint[])
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- measurement-charts.update: Update lines that differ.
--   $1::bigint organization_id
--   $2::jsonb lines
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Reactivates deactivated lines. Compares values as exact texts.
    update measurement_line as stored
    set name = item.name, tolerance = item.tolerance, is_deactivated = false
    from jsonb_to_recordset($2::jsonb) as item(id bigint, name text, tolerance numeric)
    where stored.organization_id = $1::bigint and stored.id = item.id
        and (
            stored.is_deactivated
            or (stored.name, stored.tolerance::text) is distinct from (item.name, item.tolerance::text)
        )
    returning stored.style_id as id, stored.id as "cause measurement-charts"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- measurement-charts.shown_in_measurements: Find the measurements that show changed records, for the change feed.
--   $1::bigint organization_id
--   $2::bigint[] ids
--   $3::bigint after_id
--   $4::integer limit
--   $5::bigint record_id
-- Ids of records that show the changed ones, after id $3.
select distinct shown.id
from (
    select distinct measured.sample_request_id as id
    from measurement_line line
    join sample_request request on request.organization_id = $1::bigint and request.style_id = line.style_id
    join sample_request_measurement measured
        on measured.organization_id = $1::bigint and measured.sample_request_id = request.id
            and measured.measurement_line_id = line.id
    where line.organization_id = $1::bigint and line.id = any($2::bigint[])
) as shown
where shown.id > $3::bigint and ($5::bigint is null or shown.id = $5::bigint)
order by shown.id
limit $4::integer;

-- measurement-charts-by-owner: SQL statements as they are sent; only line breaks and indents differ.

-- measurement-charts-by-owner.list: First page of all records, in the default order.
--   $1::bigint organization_id
select
    case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
    last_values,
    has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
            '') as documents,
        max(sort_values) as last_values,
        coalesce(max(page_order), 0) > 30 as has_more
    from (
        -- The offset makes the planner look up the values line by line. Without it, a plan may read those of all lines.
        with record as (
            select s.id, s.id as style_id, s.state, s.measurement_unit, s.measurement_unit as unit
            from style s
            where s.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.style_id) as page_order,
            case row_number() over (order by record.style_id)
                when 30 then json_build_array(record.style_id)::text end as sort_values
            from (
                select * from record where record.state <> 'deleted' and (
                    record.measurement_unit is not null
                    or exists (
                        select 1 from measurement_line part
                        where part.organization_id = $1::bigint and part.style_id = record.id
                    )
                )
                order by record.style_id limit 30 + 1 offset 0
            ) as record
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
            '{"styleId":' || page.id || ',' || '"unit":' || coalesce(to_json(unit)::text, 'null')
            || ',"lines":[' || coalesce(lines.documents, '') || ']' || '}' as document
        from page
        left join lines on lines.style_id = page.id
    ) as page
) as page;
-- Page by number:
--   -                 order by record.style_id limit 30 + 1 offset 0
--   +                 order by record.style_id limit 30 + 1 offset $2::bigint
-- Again, cut, if the page exceeds its bytes:
--   -     case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
--   -     last_values,
--   -     has_more
--   +     convert_to(string_agg(document, ',' order by page_order), 'UTF8') as documents,
--   +     (array_agg(sort_values order by page_order desc))[1] as last_values,
--   +     count(*) < max(found) as has_more
--   -         coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
--   -             '') as documents,
--   -         max(sort_values) as last_values,
--   -         coalesce(max(page_order), 0) > 30 as has_more
--   +         page.*,
--   +         sum(octet_length(document)) over (order by page_order) as bytes,
--   +         count(*) over () as found
--   -             case row_number() over (order by record.style_id)
--   -                 when 30 then json_build_array(record.style_id)::text end as sort_values
--   +             json_build_array(record.style_id)::text as sort_values
--   + where page_order = 1 or (page_order <= 30 and bytes <= 8388608)

-- measurement-charts-by-owner.list_example: Example: unit contains $2, sorted by it, descending.
--   $1::bigint organization_id
--   $2::text filter_value
select
    case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
    last_values,
    has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
            '') as documents,
        max(sort_values) as last_values,
        coalesce(max(page_order), 0) > 30 as has_more
    from (
        -- The offset makes the planner look up the values line by line. Without it, a plan may read those of all lines.
        with record as (
            select s.id, s.id as style_id, s.state, s.measurement_unit, s.measurement_unit as unit
            from style s
            where s.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.unit desc, record.style_id) as page_order,
            case row_number() over (order by record.unit desc, record.style_id)
                when 30 then json_build_array(record.unit, record.style_id)::text end as sort_values
            from (
                select * from record
                    where strpos(lower(record.unit collate "default"), lower($2::text collate "default")) > 0
                    and record.state <> 'deleted' and (
                    record.measurement_unit is not null
                    or exists (
                        select 1 from measurement_line part
                        where part.organization_id = $1::bigint and part.style_id = record.id
                    )
                )
                order by record.unit desc, record.style_id limit 30 + 1 offset 0
            ) as record
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
            '{"styleId":' || page.id || ',' || '"unit":' || coalesce(to_json(unit)::text, 'null')
            || ',"lines":[' || coalesce(lines.documents, '') || ']' || '}' as document
        from page
        left join lines on lines.style_id = page.id
    ) as page
) as page;
-- Next page, by cursor:
--   -                 )
--   +                 ) and (record.unit <= $3::text) and (record.unit < $3::text or record.style_id > $4::bigint)

-- measurement-charts-by-owner.list_by_reference: First page of the records whose style.id is $2.
--   $1::bigint organization_id
--   $2::bigint filter_value
select
    case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
    last_values,
    has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
            '') as documents,
        max(sort_values) as last_values,
        coalesce(max(page_order), 0) > 30 as has_more
    from (
        -- The offset makes the planner look up the values line by line. Without it, a plan may read those of all lines.
        with record as (
            select s.id, s.id as style_id, s.state, s.measurement_unit, s.measurement_unit as unit
            from style s
            where s.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.style_id) as page_order,
            case row_number() over (order by record.style_id)
                when 30 then json_build_array(record.style_id)::text end as sort_values
            from (
                select * from record where -- Condition of a page: records with an entry of style that matches. The array makes the planner begin with the
                -- entries; with a join it may read all records until it has a page of matches.
                record.id = any(array(
                    select entry.id from style entry
                    where entry.organization_id = $1::bigint and true and entry.id = $2::bigint
                )) and record.state <> 'deleted' and (
                    record.measurement_unit is not null
                    or exists (
                        select 1 from measurement_line part
                        where part.organization_id = $1::bigint and part.style_id = record.id
                    )
                )
                order by record.style_id limit 30 + 1 offset 0
            ) as record
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
            '{"styleId":' || page.id || ',' || '"unit":' || coalesce(to_json(unit)::text, 'null')
            || ',"lines":[' || coalesce(lines.documents, '') || ']' || '}' as document
        from page
        left join lines on lines.style_id = page.id
    ) as page
) as page;
-- style.number is $2:
--   -                     where entry.organization_id = $1::bigint and true and entry.id = $2::bigint
--   +                     where entry.organization_id = $1::bigint and true and entry.number = $2::text

-- measurement-charts-by-owner.list_changed: First page of the records that transactions after a number have changed.
--   $1::bigint organization_id
--   $2::bigint after_n
select
    case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
    last_values,
    has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
            '') as documents,
        max(sort_values) as last_values,
        coalesce(max(page_order), 0) > 30 as has_more
    from (
        -- The offset makes the planner look up the values line by line. Without it, a plan may read those of all lines.
        with record as (
            select s.id, s.id as style_id, s.state, s.measurement_unit, s.measurement_unit as unit
            from style s
            where s.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.style_id) as page_order,
            case row_number() over (order by record.style_id)
                when 30 then json_build_array(record.style_id)::text end as sort_values
            from (
                select * from record where record.state <> 'deleted' and (
                    record.measurement_unit is not null
                    or exists (
                        select 1 from measurement_line part
                        where part.organization_id = $1::bigint and part.style_id = record.id
                    )
                ) and -- Condition of lists: records that transactions after a number, or without one, have changed, and records that show
                -- changed ones.
                record.id in (
                    select changed.record_id::bigint
                    from (
                        -- Transactions of changed_records. Two branches, because an "or" hides the partial indexes from the planner.
                        select numbered.records, numbered.causes from change numbered
                        where numbered.organization_id = $1::bigint and numbered.n > $2::bigint
                        union all
                        select unnumbered.records, unnumbered.causes from change unnumbered
                        where unnumbered.organization_id = $1::bigint and unnumbered.n is null
                    ) as change
                    cross join lateral jsonb_each(change.records -> 'measurement-charts') as operation(name,
                        ids)
                    cross join lateral jsonb_array_elements_text(operation.ids) as changed(record_id)
                )
                order by record.style_id limit 30 + 1 offset 0
            ) as record
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
            '{"styleId":' || page.id || ',' || '"unit":' || coalesce(to_json(unit)::text, 'null')
            || ',"lines":[' || coalesce(lines.documents, '') || ']' || '}' as document
        from page
        left join lines on lines.style_id = page.id
    ) as page
) as page;

-- measurement-charts-by-owner.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
-- The offset makes the planner look up the values line by line. Without it, a plan may read those of all lines.
with record as (
    select s.id, s.id as style_id, s.state, s.measurement_unit, s.measurement_unit as unit
    from style s
    where s.organization_id = $1::bigint
),
page as materialized (
    select record.id from record where record.state <> 'deleted' and (
        record.measurement_unit is not null
        or exists (
            select 1 from measurement_line part
            where part.organization_id = $1::bigint and part.style_id = record.id
        )
    )
)
select count(*) as total from page;
-- Count of the example:
--   -     select record.id from record where record.state <> 'deleted' and (
--   +     select record.id from record
--   +         where strpos(lower(record.unit collate "default"), lower($2::text collate "default")) > 0
--   +         and record.state <> 'deleted' and (

-- measurement-charts-by-owner.read: Read a document.
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
        '{"styleId":' || page.id || ',' || '"unit":' || coalesce(to_json(unit)::text, 'null')
        || ',"lines":[' || coalesce(lines.documents, '') || ']' || '}' as document
    from page
    left join lines on lines.style_id = page.id
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])
-- Change feed with documents, one record:
--   -     case when count(*) = 1 or sum(octet_length(document)) <= 33554432
--   +     case when count(*) = 1 or sum(octet_length(document)) <= 8388608
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = $2::bigint and record.state <> 'deleted' and (
--   +             record.measurement_unit is not null
--   +             or exists (
--   +                 select 1 from measurement_line part
--   +                 where part.organization_id = $1::bigint and part.style_id = record.id
--   +             )
--   +         )
-- Change feed with documents, several records:
--   -     case when count(*) = 1 or sum(octet_length(document)) <= 33554432
--   +     case when count(*) = 1 or sum(octet_length(document)) <= 8388608
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[]) and record.state <> 'deleted'
--   +             and (
--   +             record.measurement_unit is not null
--   +             or exists (
--   +                 select 1 from measurement_line part
--   +                 where part.organization_id = $1::bigint and part.style_id = record.id
--   +             )
--   +         )

-- measurement-charts-by-owner.read_writable: Read a writable form.
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
        '{"styleId":' || page.id || ',' || '"unit":' || coalesce(to_json(unit)::text, 'null')
        || ',"lines":[' || coalesce(lines.documents, '') || ']' || '}' as document
    from page
    left join lines on lines.style_id = page.id
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- measurement-charts-by-owner.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, state as state, number as key, null::bigint as within_id from style
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;

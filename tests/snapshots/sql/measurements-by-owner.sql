-- measurements-by-owner: SQL statements as they are sent; only line breaks and indents differ.

-- measurements-by-owner.list: First page of all records, in the default order.
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
        with record as (
            select r.id, r.id as sample_request_id, r.unit from sample_request r
                where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.sample_request_id) as page_order,
            case row_number() over (order by record.sample_request_id)
                when 30 then json_build_array(record.sample_request_id)::text end as sort_values
            from (
                select * from record where exists (
                    select 1 from sample_request_size part
                    where part.organization_id = $1::bigint and part.sample_request_id = record.id
                )
                order by record.sample_request_id limit 30 + 1 offset 0
            ) as record
        ),
        requested as materialized (
            select
                sent.sample_request_id,
                sent.size_range_size_id as id,
                size.name as size_range_size_name,
                size.is_deactivated,
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
                select stored.name, stored.is_deactivated
                from size_range_size stored
                where stored.organization_id = $1::bigint and stored.id = sent.size_range_size_id
                offset 0
            ) as size
        ),
        lines as materialized (
            select measured.sample_request_id, measured.size_range_size_id, -- Part of documents.
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
                where measured.organization_id = $1::bigint
                    and measured.sample_request_id = any(array(select id from page))
                group by measured.sample_request_id, measured.size_range_size_id
        ),
        sizes as (
            select requested.sample_request_id, string_agg(
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
                    || ',"lines":[' || coalesce(lines.documents, '') || ']}', ',' order by requested.id
            ) as documents
            from requested
            left join lines
                on lines.sample_request_id = requested.sample_request_id
                    and lines.size_range_size_id = requested.id
            group by requested.sample_request_id
        )
        select
            page_order,
            sort_values,
            '{"sampleRequestId":' || page.id || ',"sizes":[' || coalesce(sizes.documents, '')
                || ']}' as document
        from page
        left join sizes on sizes.sample_request_id = page.id
    ) as page
) as page;
-- Page by number:
--   -                 order by record.sample_request_id limit 30 + 1 offset 0
--   +                 order by record.sample_request_id limit 30 + 1 offset $2::bigint
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
--   -             case row_number() over (order by record.sample_request_id)
--   -                 when 30 then json_build_array(record.sample_request_id)::text end as sort_values
--   +             json_build_array(record.sample_request_id)::text as sort_values
--   + where page_order = 1 or (page_order <= 30 and bytes <= 8388608)

-- measurements-by-owner.list_example: Example: sampleRequestId is greater than $2.
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
        with record as (
            select r.id, r.id as sample_request_id, r.unit from sample_request r
                where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.sample_request_id) as page_order,
            case row_number() over (order by record.sample_request_id)
                when 30 then json_build_array(record.sample_request_id)::text end as sort_values
            from (
                select * from record where record.sample_request_id > $2::bigint and exists (
                    select 1 from sample_request_size part
                    where part.organization_id = $1::bigint and part.sample_request_id = record.id
                )
                order by record.sample_request_id limit 30 + 1 offset 0
            ) as record
        ),
        requested as materialized (
            select
                sent.sample_request_id,
                sent.size_range_size_id as id,
                size.name as size_range_size_name,
                size.is_deactivated,
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
                select stored.name, stored.is_deactivated
                from size_range_size stored
                where stored.organization_id = $1::bigint and stored.id = sent.size_range_size_id
                offset 0
            ) as size
        ),
        lines as materialized (
            select measured.sample_request_id, measured.size_range_size_id, -- Part of documents.
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
                where measured.organization_id = $1::bigint
                    and measured.sample_request_id = any(array(select id from page))
                group by measured.sample_request_id, measured.size_range_size_id
        ),
        sizes as (
            select requested.sample_request_id, string_agg(
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
                    || ',"lines":[' || coalesce(lines.documents, '') || ']}', ',' order by requested.id
            ) as documents
            from requested
            left join lines
                on lines.sample_request_id = requested.sample_request_id
                    and lines.size_range_size_id = requested.id
            group by requested.sample_request_id
        )
        select
            page_order,
            sort_values,
            '{"sampleRequestId":' || page.id || ',"sizes":[' || coalesce(sizes.documents, '')
                || ']}' as document
        from page
        left join sizes on sizes.sample_request_id = page.id
    ) as page
) as page;
-- Next page, by cursor:
--   -                 )
--   +                 ) and record.sample_request_id > $3::bigint

-- measurements-by-owner.list_by_reference: First page of the records whose sampleRequest.id is $2.
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
        with record as (
            select r.id, r.id as sample_request_id, r.unit from sample_request r
                where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.sample_request_id) as page_order,
            case row_number() over (order by record.sample_request_id)
                when 30 then json_build_array(record.sample_request_id)::text end as sort_values
            from (
                select * from record where -- Condition of a page: records with an entry of sample_request that matches. The array makes the planner begin with the
                -- entries; with a join it may read all records until it has a page of matches.
                record.id = any(array(
                    select entry.id from sample_request entry
                    where entry.organization_id = $1::bigint and true and entry.id = $2::bigint
                )) and exists (
                    select 1 from sample_request_size part
                    where part.organization_id = $1::bigint and part.sample_request_id = record.id
                )
                order by record.sample_request_id limit 30 + 1 offset 0
            ) as record
        ),
        requested as materialized (
            select
                sent.sample_request_id,
                sent.size_range_size_id as id,
                size.name as size_range_size_name,
                size.is_deactivated,
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
                select stored.name, stored.is_deactivated
                from size_range_size stored
                where stored.organization_id = $1::bigint and stored.id = sent.size_range_size_id
                offset 0
            ) as size
        ),
        lines as materialized (
            select measured.sample_request_id, measured.size_range_size_id, -- Part of documents.
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
                where measured.organization_id = $1::bigint
                    and measured.sample_request_id = any(array(select id from page))
                group by measured.sample_request_id, measured.size_range_size_id
        ),
        sizes as (
            select requested.sample_request_id, string_agg(
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
                    || ',"lines":[' || coalesce(lines.documents, '') || ']}', ',' order by requested.id
            ) as documents
            from requested
            left join lines
                on lines.sample_request_id = requested.sample_request_id
                    and lines.size_range_size_id = requested.id
            group by requested.sample_request_id
        )
        select
            page_order,
            sort_values,
            '{"sampleRequestId":' || page.id || ',"sizes":[' || coalesce(sizes.documents, '')
                || ']}' as document
        from page
        left join sizes on sizes.sample_request_id = page.id
    ) as page
) as page;
-- sampleRequest.name is $2:
--   -                     where entry.organization_id = $1::bigint and true and entry.id = $2::bigint
--   +                     where entry.organization_id = $1::bigint and true and entry.name = $2::text

-- measurements-by-owner.list_changed: First page of the records that transactions after a number have changed.
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
        with record as (
            select r.id, r.id as sample_request_id, r.unit from sample_request r
                where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.sample_request_id) as page_order,
            case row_number() over (order by record.sample_request_id)
                when 30 then json_build_array(record.sample_request_id)::text end as sort_values
            from (
                select * from record where exists (
                    select 1 from sample_request_size part
                    where part.organization_id = $1::bigint and part.sample_request_id = record.id
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
                    cross join lateral jsonb_each(change.records -> 'measurements') as operation(name, ids)
                    cross join lateral jsonb_array_elements_text(operation.ids) as changed(record_id)
                    -- Part of changed_records: records that show changed ones of one kind.
                    union all
                    select shown.id from (
                        select sample_request_id as id from sample_request_size
                        where organization_id = $1::bigint and size_range_size_id = any(
                            -- Ids of the changed ones in changed_shown.
                            array(
                                select changed.record_id::bigint
                                from (
                                    -- Transactions of changed_records. Two branches, because an "or" hides the partial indexes from the planner.
                                    select numbered.records, numbered.causes from change numbered
                                    where numbered.organization_id = $1::bigint and numbered.n > $2::bigint
                                    union all
                                    select unnumbered.records, unnumbered.causes from change unnumbered
                                    where unnumbered.organization_id = $1::bigint and unnumbered.n is null
                                ) as change
                                cross join lateral jsonb_array_elements_text(
                                    change.causes -> 'size-range-sizes'
                                ) as changed(record_id)
                    ))) as shown
                    -- Part of changed_records: records that show changed ones of one kind.
                    union all
                    select shown.id from (
                        select sample_request_id as id from sample_request_size
                        where organization_id = $1::bigint and size_range_size_id = any(
                            -- Ids of the changed ones in changed_shown.
                            array(
                                select changed.record_id::bigint
                                from (
                                    -- Transactions of changed_records. Two branches, because an "or" hides the partial indexes from the planner.
                                    select numbered.records, numbered.causes from change numbered
                                    where numbered.organization_id = $1::bigint and numbered.n > $2::bigint
                                    union all
                                    select unnumbered.records, unnumbered.causes from change unnumbered
                                    where unnumbered.organization_id = $1::bigint and unnumbered.n is null
                                ) as change
                                cross join lateral jsonb_array_elements_text(
                                    change.causes -> 'size-range-sizes.isDeactivated'
                                ) as changed(record_id)
                    ))) as shown
                    -- Part of changed_records: records that show changed ones of one kind.
                    union all
                    select shown.id from (
                        select distinct measured.sample_request_id as id
                        from measurement_line line
                        join sample_request request on request.organization_id = $1::bigint
                            and request.style_id = line.style_id
                        join sample_request_measurement measured
                            on measured.organization_id = $1::bigint
                                and measured.sample_request_id = request.id
                                and measured.measurement_line_id = line.id
                        where line.organization_id = $1::bigint and line.id = any(
                            -- Ids of the changed ones in changed_shown.
                            array(
                                select changed.record_id::bigint
                                from (
                                    -- Transactions of changed_records. Two branches, because an "or" hides the partial indexes from the planner.
                                    select numbered.records, numbered.causes from change numbered
                                    where numbered.organization_id = $1::bigint and numbered.n > $2::bigint
                                    union all
                                    select unnumbered.records, unnumbered.causes from change unnumbered
                                    where unnumbered.organization_id = $1::bigint and unnumbered.n is null
                                ) as change
                                cross join lateral jsonb_array_elements_text(
                                    change.causes -> 'measurement-charts'
                                ) as changed(record_id)
                    ))) as shown
                )
                order by record.sample_request_id limit 30 + 1 offset 0
            ) as record
        ),
        requested as materialized (
            select
                sent.sample_request_id,
                sent.size_range_size_id as id,
                size.name as size_range_size_name,
                size.is_deactivated,
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
                select stored.name, stored.is_deactivated
                from size_range_size stored
                where stored.organization_id = $1::bigint and stored.id = sent.size_range_size_id
                offset 0
            ) as size
        ),
        lines as materialized (
            select measured.sample_request_id, measured.size_range_size_id, -- Part of documents.
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
                where measured.organization_id = $1::bigint
                    and measured.sample_request_id = any(array(select id from page))
                group by measured.sample_request_id, measured.size_range_size_id
        ),
        sizes as (
            select requested.sample_request_id, string_agg(
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
                    || ',"lines":[' || coalesce(lines.documents, '') || ']}', ',' order by requested.id
            ) as documents
            from requested
            left join lines
                on lines.sample_request_id = requested.sample_request_id
                    and lines.size_range_size_id = requested.id
            group by requested.sample_request_id
        )
        select
            page_order,
            sort_values,
            '{"sampleRequestId":' || page.id || ',"sizes":[' || coalesce(sizes.documents, '')
                || ']}' as document
        from page
        left join sizes on sizes.sample_request_id = page.id
    ) as page
) as page;

-- measurements-by-owner.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
with record as (
    select r.id, r.id as sample_request_id, r.unit from sample_request r where r.organization_id = $1::bigint
),
page as materialized (
    select record.id from record where exists (
        select 1 from sample_request_size part
        where part.organization_id = $1::bigint and part.sample_request_id = record.id
    )
)
select count(*) as total from page;
-- Count of the example:
--   -     select record.id from record where exists (
--   +     select record.id from record where record.sample_request_id > $2::bigint and exists (

-- measurements-by-owner.read: Read a document.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select r.id, r.id as sample_request_id, r.unit from sample_request r
            where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    requested as materialized (
        select
            sent.sample_request_id,
            sent.size_range_size_id as id,
            size.name as size_range_size_name,
            size.is_deactivated,
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
            select stored.name, stored.is_deactivated
            from size_range_size stored
            where stored.organization_id = $1::bigint and stored.id = sent.size_range_size_id
            offset 0
        ) as size
    ),
    lines as materialized (
        select measured.sample_request_id, measured.size_range_size_id, -- Part of documents.
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
            where measured.organization_id = $1::bigint
                and measured.sample_request_id = any(array(select id from page))
            group by measured.sample_request_id, measured.size_range_size_id
    ),
    sizes as (
        select requested.sample_request_id, string_agg(
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
                || ',"lines":[' || coalesce(lines.documents, '') || ']}', ',' order by requested.id
        ) as documents
        from requested
        left join lines
            on lines.sample_request_id = requested.sample_request_id
                and lines.size_range_size_id = requested.id
        group by requested.sample_request_id
    )
    select
        page_order,
        sort_values,
        '{"sampleRequestId":' || page.id || ',"sizes":[' || coalesce(sizes.documents, '') || ']}' as document
    from page
    left join sizes on sizes.sample_request_id = page.id
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])
-- Change feed with documents, one record:
--   -     case when count(*) = 1 or sum(octet_length(document)) <= 33554432
--   +     case when count(*) = 1 or sum(octet_length(document)) <= 8388608
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = $2::bigint and exists (
--   +             select 1 from sample_request_size part
--   +             where part.organization_id = $1::bigint and part.sample_request_id = record.id
--   +         )
-- Change feed with documents, several records:
--   -     case when count(*) = 1 or sum(octet_length(document)) <= 33554432
--   +     case when count(*) = 1 or sum(octet_length(document)) <= 8388608
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[]) and exists (
--   +             select 1 from sample_request_size part
--   +             where part.organization_id = $1::bigint and part.sample_request_id = record.id
--   +         )

-- measurements-by-owner.read_writable: Read a writable form.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select r.id, r.id as sample_request_id, r.unit from sample_request r
            where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    requested as materialized (
        select
            sent.sample_request_id,
            sent.size_range_size_id as id,
            size.name as size_range_size_name,
            size.is_deactivated,
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
            select stored.name, stored.is_deactivated
            from size_range_size stored
            where stored.organization_id = $1::bigint and stored.id = sent.size_range_size_id
            offset 0
        ) as size
    ),
    lines as materialized (
        select measured.sample_request_id, measured.size_range_size_id, -- Part of writables: active lines, with values as texts.
        string_agg(
            '{"lineId":' || line.id
            || ',"companyMeasurement":' || coalesce(to_json(measured.company_measurement::text)::text, 'null')
            || ',"supplierMeasurement":'
                || coalesce(to_json(measured.supplier_measurement::text)::text, 'null')
            || ',"newMeasurement":' || coalesce(to_json(measured.new_measurement::text)::text, 'null') || '}',
            ',' order by line.id
        ) as documents
            from sample_request_measurement measured
            join measurement_line line
                on line.organization_id = $1::bigint and line.id = measured.measurement_line_id
            where measured.organization_id = $1::bigint
                and measured.sample_request_id = any(array(select id from page)) and not line.is_deactivated
            group by measured.sample_request_id, measured.size_range_size_id
    ),
    sizes as (
        select requested.sample_request_id, string_agg('{"sizeRangeSizeId":' || id || ',' || -- Part of writables.
            '"designerComment":' || coalesce(to_json(designer_comment)::text, 'null')
                || ',"approved":' || is_approved
                || ',"designerVisibleOnly":' || is_designer_visible_only
                || ',"lines":[' || coalesce(lines.documents, '') || ']}', ',' order by requested.id
        ) as documents
        from requested
        left join lines
            on lines.sample_request_id = requested.sample_request_id
                and lines.size_range_size_id = requested.id
        group by requested.sample_request_id
    )
    select
        page_order,
        sort_values,
        '{"sampleRequestId":' || page.id || ',"sizes":[' || coalesce(sizes.documents, '') || ']}' as document
    from page
    left join sizes on sizes.sample_request_id = page.id
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- measurements-by-owner.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, 'active' as state, name as key, style_id as within_id from sample_request
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;

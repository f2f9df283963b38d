-- style-sample-requests: SQL statements as they are sent; only line breaks and indents differ.

-- style-sample-requests.list: First page of all records, in the default order.
--   $1::bigint organization_id
--   $2::bigint style_id
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
        -- The offset makes the planner look up sizes request by request. Without it, a plan may read those of all requests.
        with record as (
            select r.* from sample_request r where r.organization_id = $1::bigint
                -- Condition of documents: requests of one style.
            and r.style_id = $2::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record order by record.id limit 30 + 1 offset 0
            ) as record
        ),
        sizes as materialized (
            select
                requested.sample_request_id,
                string_agg(
                    '{"sizeRangeSizeId":' || s.id || ',"sizeRangeSizeName":' || to_json(s.name) || '}', ','
                        order by s.id
                ) as documents
            from page
            cross join lateral (
                select stored.sample_request_id, stored.size_range_size_id
                from sample_request_size stored
                where stored.organization_id = $1::bigint and stored.sample_request_id = page.id
                offset 0
            ) as requested
            cross join lateral (
                select size.id, size.name
                from size_range_size size
                where size.organization_id = $1::bigint and size.id = requested.size_range_size_id
                offset 0
            ) as s
            group by requested.sample_request_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"styleId":' || style_id::text || ',"name":' || to_json(name)::text
                || ',"unit":' || coalesce(to_json(unit)::text, 'null') || ',"requestedAt":"'
                || to_char(requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
            || ',"sizes":[' || coalesce(sizes.documents, '') || ']}' as document
        from page
        left join sizes on sizes.sample_request_id = page.id
    ) as page
) as page;
-- Page by number:
--   -                 select * from record order by record.id limit 30 + 1 offset 0
--   +                 select * from record order by record.id limit 30 + 1 offset $3::bigint
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
--   -             case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
--   -                 end as sort_values
--   +             json_build_array(record.id)::text as sort_values
--   + where page_order = 1 or (page_order <= 30 and bytes <= 8388608)

-- style-sample-requests.list_example: Example: name contains $3, sorted by it, descending.
--   $1::bigint organization_id
--   $2::bigint style_id
--   $3::text filter_value
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
        -- The offset makes the planner look up sizes request by request. Without it, a plan may read those of all requests.
        with record as (
            select r.* from sample_request r where r.organization_id = $1::bigint
                -- Condition of documents: requests of one style.
            and r.style_id = $2::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.name desc, record.id) as page_order,
            case row_number() over (order by record.name desc, record.id)
                when 30 then json_build_array(record.name, record.id)::text end as sort_values
            from (
                select * from record
                    where strpos(lower(record.name collate "default"), lower($3::text collate "default")) > 0
                order by record.name desc, record.id limit 30 + 1 offset 0
            ) as record
        ),
        sizes as materialized (
            select
                requested.sample_request_id,
                string_agg(
                    '{"sizeRangeSizeId":' || s.id || ',"sizeRangeSizeName":' || to_json(s.name) || '}', ','
                        order by s.id
                ) as documents
            from page
            cross join lateral (
                select stored.sample_request_id, stored.size_range_size_id
                from sample_request_size stored
                where stored.organization_id = $1::bigint and stored.sample_request_id = page.id
                offset 0
            ) as requested
            cross join lateral (
                select size.id, size.name
                from size_range_size size
                where size.organization_id = $1::bigint and size.id = requested.size_range_size_id
                offset 0
            ) as s
            group by requested.sample_request_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"styleId":' || style_id::text || ',"name":' || to_json(name)::text
                || ',"unit":' || coalesce(to_json(unit)::text, 'null') || ',"requestedAt":"'
                || to_char(requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
            || ',"sizes":[' || coalesce(sizes.documents, '') || ']}' as document
        from page
        left join sizes on sizes.sample_request_id = page.id
    ) as page
) as page;
-- Next page, by cursor:
--   +                     and (record.name <= $4::text) and (record.name < $4::text or record.id > $5::bigint)

-- style-sample-requests.list_by_reference: First page of the records whose sizes.sizeRangeSizeId is $3.
--   $1::bigint organization_id
--   $2::bigint style_id
--   $3::bigint filter_value
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
        -- The offset makes the planner look up sizes request by request. Without it, a plan may read those of all requests.
        with record as (
            select r.* from sample_request r where r.organization_id = $1::bigint
                -- Condition of documents: requests of one style.
            and r.style_id = $2::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where -- Condition of a page: records with an entry of sample_request_size that matches. The array makes the planner begin with the
                -- entries; with a join it may read all records until it has a page of matches.
                record.id = any(array(
                    select entry.sample_request_id from sample_request_size entry
                    where entry.organization_id = $1::bigint and true
                        and entry.size_range_size_id = $3::bigint
                ))
                order by record.id limit 30 + 1 offset 0
            ) as record
        ),
        sizes as materialized (
            select
                requested.sample_request_id,
                string_agg(
                    '{"sizeRangeSizeId":' || s.id || ',"sizeRangeSizeName":' || to_json(s.name) || '}', ','
                        order by s.id
                ) as documents
            from page
            cross join lateral (
                select stored.sample_request_id, stored.size_range_size_id
                from sample_request_size stored
                where stored.organization_id = $1::bigint and stored.sample_request_id = page.id
                offset 0
            ) as requested
            cross join lateral (
                select size.id, size.name
                from size_range_size size
                where size.organization_id = $1::bigint and size.id = requested.size_range_size_id
                offset 0
            ) as s
            group by requested.sample_request_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"styleId":' || style_id::text || ',"name":' || to_json(name)::text
                || ',"unit":' || coalesce(to_json(unit)::text, 'null') || ',"requestedAt":"'
                || to_char(requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
            || ',"sizes":[' || coalesce(sizes.documents, '') || ']}' as document
        from page
        left join sizes on sizes.sample_request_id = page.id
    ) as page
) as page;
-- sizes.sizeRangeSizeName is $3:
--   -                 select * from record where -- Condition of a page: records with an entry of sample_request_size that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of size_range_size.
--   -                     select entry.sample_request_id from sample_request_size entry
--   -                     where entry.organization_id = $1::bigint and true
--   -                         and entry.size_range_size_id = $3::bigint
--   +                     select entry.sample_request_id
--   +                     from size_range_size target
--   +                     join sample_request_size entry on entry.organization_id = $1::bigint
--   +                         and entry.size_range_size_id = target.id
--   +                     where target.organization_id = $1::bigint and target.name = $3::text

-- style-sample-requests.list_changed: First page of the records that transactions after a number have changed.
--   $1::bigint organization_id
--   $2::bigint style_id
--   $3::bigint after_n
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
        -- The offset makes the planner look up sizes request by request. Without it, a plan may read those of all requests.
        with record as (
            select r.* from sample_request r where r.organization_id = $1::bigint
                -- Condition of documents: requests of one style.
            and r.style_id = $2::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where -- Condition of lists: records that transactions after a number, or without one, have changed, and records that show
                -- changed ones.
                record.id in (
                    select changed.record_id::bigint
                    from (
                        -- Transactions of changed_records. Two branches, because an "or" hides the partial indexes from the planner.
                        select numbered.records, numbered.causes from change numbered
                        where numbered.organization_id = $1::bigint and numbered.n > $3::bigint
                        union all
                        select unnumbered.records, unnumbered.causes from change unnumbered
                        where unnumbered.organization_id = $1::bigint and unnumbered.n is null
                    ) as change
                    cross join lateral jsonb_each(change.records -> 'sample-requests') as operation(name, ids)
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
                                    where numbered.organization_id = $1::bigint and numbered.n > $3::bigint
                                    union all
                                    select unnumbered.records, unnumbered.causes from change unnumbered
                                    where unnumbered.organization_id = $1::bigint and unnumbered.n is null
                                ) as change
                                cross join lateral jsonb_array_elements_text(
                                    change.causes -> 'size-range-sizes'
                                ) as changed(record_id)
                    ))) as shown
                )
                order by record.id limit 30 + 1 offset 0
            ) as record
        ),
        sizes as materialized (
            select
                requested.sample_request_id,
                string_agg(
                    '{"sizeRangeSizeId":' || s.id || ',"sizeRangeSizeName":' || to_json(s.name) || '}', ','
                        order by s.id
                ) as documents
            from page
            cross join lateral (
                select stored.sample_request_id, stored.size_range_size_id
                from sample_request_size stored
                where stored.organization_id = $1::bigint and stored.sample_request_id = page.id
                offset 0
            ) as requested
            cross join lateral (
                select size.id, size.name
                from size_range_size size
                where size.organization_id = $1::bigint and size.id = requested.size_range_size_id
                offset 0
            ) as s
            group by requested.sample_request_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"styleId":' || style_id::text || ',"name":' || to_json(name)::text
                || ',"unit":' || coalesce(to_json(unit)::text, 'null') || ',"requestedAt":"'
                || to_char(requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
            || ',"sizes":[' || coalesce(sizes.documents, '') || ']}' as document
        from page
        left join sizes on sizes.sample_request_id = page.id
    ) as page
) as page;

-- style-sample-requests.count: Count the records of all pages.
--   $1::bigint organization_id
--   $2::bigint style_id
-- Begins like a documents statement, up to its page.
-- The offset makes the planner look up sizes request by request. Without it, a plan may read those of all requests.
with record as (
    select r.* from sample_request r where r.organization_id = $1::bigint
        -- Condition of documents: requests of one style.
    and r.style_id = $2::bigint
),
page as materialized (
    select record.id from record
)
select count(*) as total from page;
-- Count of the example:
--   +         where strpos(lower(record.name collate "default"), lower($3::text collate "default")) > 0

-- style-sample-requests.style_id_by_key: Find the record that a path names by its own key, number.
--   $1::bigint organization_id
--   $2::text key
-- Live records with an own key: more than one, if it is ambiguous.
select id from style
where organization_id = $1::bigint and number = $2::text and state <> 'deleted'
order by id
limit 5;

-- style-sample-requests.id_by_key: Find the record that a path names by its own key, name.
--   $1::bigint organization_id
--   $2::text key
--   $3::bigint style_id
-- The same of own keys within a parent.
select id from sample_request
where organization_id = $1::bigint and style_id = $3::bigint and name = $2::text and 'active' <> 'deleted'
order by id
limit 5;

-- style-sample-requests.read: Read a document.
--   $1::bigint organization_id
--   $2::bigint style_id
--   $3::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    -- The offset makes the planner look up sizes request by request. Without it, a plan may read those of all requests.
    with record as (
        select r.* from sample_request r where r.organization_id = $1::bigint
            -- Condition of documents: requests of one style.
        and r.style_id = $2::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $3::bigint
    ),
    sizes as materialized (
        select
            requested.sample_request_id,
            string_agg(
                '{"sizeRangeSizeId":' || s.id || ',"sizeRangeSizeName":' || to_json(s.name) || '}', ','
                    order by s.id
            ) as documents
        from page
        cross join lateral (
            select stored.sample_request_id, stored.size_range_size_id
            from sample_request_size stored
            where stored.organization_id = $1::bigint and stored.sample_request_id = page.id
            offset 0
        ) as requested
        cross join lateral (
            select size.id, size.name
            from size_range_size size
            where size.organization_id = $1::bigint and size.id = requested.size_range_size_id
            offset 0
        ) as s
        group by requested.sample_request_id
    )
    select
        page_order,
        sort_values,
        '{"id":' || id::text || ',"styleId":' || style_id::text || ',"name":' || to_json(name)::text
            || ',"unit":' || coalesce(to_json(unit)::text, 'null') || ',"requestedAt":"'
            || to_char(requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
        || ',"sizes":[' || coalesce(sizes.documents, '') || ']}' as document
    from page
    left join sizes on sizes.sample_request_id = page.id
) as page;

-- style-sample-requests.unknown_parent: Find the first id in the path that does not exist.
--   $1::bigint organization_id
--   $2::bigint style_id
select 'styleId' as parameter
where not exists (select 1 from style where organization_id = $1::bigint and id = $2::bigint);

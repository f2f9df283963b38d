-- sample-requests: SQL statements as they are sent; only line breaks and indents differ.

-- sample-requests.list: First page of all records, in the default order.
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
        -- The offset makes the planner look up sizes request by request. Without it, a plan may read those of all requests.
        with record as (
            select r.* from sample_request r where r.organization_id = $1::bigint
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
--   +                 select * from record order by record.id limit 30 + 1 offset $2::bigint
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

-- sample-requests.list_example: Example: name contains $2, sorted by it, descending.
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
        -- The offset makes the planner look up sizes request by request. Without it, a plan may read those of all requests.
        with record as (
            select r.* from sample_request r where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.name desc, record.id) as page_order,
            case row_number() over (order by record.name desc, record.id)
                when 30 then json_build_array(record.name, record.id)::text end as sort_values
            from (
                select * from record
                    where strpos(lower(record.name collate "default"), lower($2::text collate "default")) > 0
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
--   +                     and (record.name <= $3::text) and (record.name < $3::text or record.id > $4::bigint)

-- sample-requests.list_by_reference: First page of the records whose style.id is $2.
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
        -- The offset makes the planner look up sizes request by request. Without it, a plan may read those of all requests.
        with record as (
            select r.* from sample_request r where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where -- Condition of a page: records with an entry of sample_request that matches. The array makes the planner begin with the
                -- entries; with a join it may read all records until it has a page of matches.
                record.id = any(array(
                    select entry.id from sample_request entry
                    where entry.organization_id = $1::bigint and true and entry.style_id = $2::bigint
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
-- style.number is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of sample_request that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of style.
--   -                     select entry.id from sample_request entry
--   -                     where entry.organization_id = $1::bigint and true and entry.style_id = $2::bigint
--   +                     select entry.id
--   +                     from style target
--   +                     join sample_request entry on entry.organization_id = $1::bigint
--   +                         and entry.style_id = target.id
--   +                     where target.organization_id = $1::bigint and target.number = $2::text
-- sizes.sizeRangeSizeId is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of sample_request that matches. The array makes the planner begin with the
--   +                 select * from record where -- Condition of a page: records with an entry of sample_request_size that matches. The array makes the planner begin with the
--   -                     select entry.id from sample_request entry
--   -                     where entry.organization_id = $1::bigint and true and entry.style_id = $2::bigint
--   +                     select entry.sample_request_id from sample_request_size entry
--   +                     where entry.organization_id = $1::bigint and true
--   +                         and entry.size_range_size_id = $2::bigint
-- sizes.sizeRangeSizeName is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of sample_request that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of size_range_size.
--   -                     select entry.id from sample_request entry
--   -                     where entry.organization_id = $1::bigint and true and entry.style_id = $2::bigint
--   +                     select entry.sample_request_id
--   +                     from size_range_size target
--   +                     join sample_request_size entry on entry.organization_id = $1::bigint
--   +                         and entry.size_range_size_id = target.id
--   +                     where target.organization_id = $1::bigint and target.name = $2::text

-- sample-requests.list_changed: First page of the records that transactions after a number have changed.
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
        -- The offset makes the planner look up sizes request by request. Without it, a plan may read those of all requests.
        with record as (
            select r.* from sample_request r where r.organization_id = $1::bigint
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
                        where numbered.organization_id = $1::bigint and numbered.n > $2::bigint
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
                                    where numbered.organization_id = $1::bigint and numbered.n > $2::bigint
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

-- sample-requests.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
-- The offset makes the planner look up sizes request by request. Without it, a plan may read those of all requests.
with record as (
    select r.* from sample_request r where r.organization_id = $1::bigint
),
page as materialized (
    select record.id from record
)
select count(*) as total from page;
-- Count of the example:
--   +         where strpos(lower(record.name collate "default"), lower($2::text collate "default")) > 0

-- sample-requests.read: Read a document.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    -- The offset makes the planner look up sizes request by request. Without it, a plan may read those of all requests.
    with record as (
        select r.* from sample_request r where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
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
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])
-- Change feed with documents, one record:
--   -     case when count(*) = 1 or sum(octet_length(document)) <= 33554432
--   +     case when count(*) = 1 or sum(octet_length(document)) <= 8388608
-- Change feed with documents, several records:
--   -     case when count(*) = 1 or sum(octet_length(document)) <= 33554432
--   +     case when count(*) = 1 or sum(octet_length(document)) <= 8388608
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- sample-requests.read_writable: Read a writable form.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select r.* from sample_request r where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select
        page_order,
        sort_values,
        '{"styleId":' || style_id::text || ',"name":' || to_json(name)::text
        || ',"sizeRangeSizeIds":[' || coalesce(sizes.ids, '') || ']}' as document
    from page
    left join lateral (
        select string_agg(requested.size_range_size_id::text, ','
            order by requested.size_range_size_id) as ids
        from sample_request_size requested
        where requested.organization_id = $1::bigint and requested.sample_request_id = page.id
    ) as sizes on true
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- sample-requests.read_last: Read the last document of a record before its delete.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    -- The offset makes the planner look up sizes request by request. Without it, a plan may read those of all requests.
    with record as (
        select r.* from sample_request r where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
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
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- sample-requests.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, 'active' as state, name as key, style_id as within_id from sample_request
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- sample-requests.lock_by_key: Lock the records of a write that names them by own key, name.
--   $1::bigint organization_id
--   $2::text[] keys
--   $3::bigint[] parent_ids
select id, 'active' as state, name as key, style_id as within_id from sample_request
where organization_id = $1::bigint and -- Own keys within records with the ids $3. The offset makes the planner look keys up one by one, not read all records.
id = any(array(
    select found.id
    from unnest($2::text[], $3::bigint[]) as sent(key, within_id)
    cross join lateral (
        select one.id from sample_request one
        where one.organization_id = $1::bigint and one.style_id = sent.within_id and one.name = sent.key
        offset 0
    ) as found
))
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- sample-requests.references_of_styleId: Lock the records that styleId refers to.
--   $1::bigint organization_id
--   $2::bigint[] ids
-- Lock the referred records until the end of the transaction.
select id, state <> 'deleted' as is_live from style
where organization_id = $1::bigint and id = any($2::bigint[])
order by id
for share;

-- sample-requests.references_of_sizeRangeSizeIds: Lock the records that sizeRangeSizeIds refers to.
--   $1::bigint organization_id
--   $2::bigint[] ids
-- The same for parts of records in size_range. Locks these records, too, so that they are not deleted meanwhile.
select record.id, owner.id as owner_id, true as is_live
from size_range_size record
join size_range owner on owner.organization_id = $1::bigint and owner.id = record.size_range_id
where record.organization_id = $1::bigint and record.id = any($2::bigint[])
order by owner.id, record.id
for key share;

-- sample-requests.check: Report the errors that only stored data show.
--   $1::bigint organization_id
--   $2::jsonb items
-- Reports a changed style, unit or requested values; requested values of inactive lines or of sizes that are not
-- requested; new sizes that are deactivated or of a deleted size range; and removed sizes with measured values.
with item as materialized (
    select item.*
    from rows from (
        jsonb_to_recordset($2::jsonb)
            as (id bigint, "styleId" bigint, "sizeRangeSizeIds" jsonb, unit text, requested jsonb)
    ) with ordinality as item(id, style_id, sizes, unit, requested, n)
),
wanted as materialized (
    select item.id, item.n, size.id::bigint as size_id, size.n as place
    from item
    cross join lateral jsonb_array_elements_text(
        case jsonb_typeof(item.sizes) when 'array' then item.sizes else '[]' end
    ) with ordinality as size(id, n)
)
select item.n::integer as item, 'validation_error.read_only_field' as type, '["styleId"]' as path,
    'The style of a sample request stays.' as message
from item
join sample_request stored on stored.organization_id = $1::bigint and stored.id = item.id
where stored.style_id <> item.style_id
union all
select item.n::integer, 'validation_error.read_only_field', '["unit"]', 'The unit of a sample request stays.'
from item
join sample_request stored on stored.organization_id = $1::bigint and stored.id = item.id
where item.unit is distinct from stored.unit and item.unit is not null
union all
-- Of sizes that the item leaves out, the values need not be repeated.
select item.n::integer, 'validation_error.read_only_field', '["requested"]',
    'The requested values of a sample request stay.'
from item
join sample_request stored on stored.organization_id = $1::bigint and stored.id = item.id
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
            from wanted
            join sample_request_measurement frozen
                on frozen.organization_id = $1::bigint and frozen.sample_request_id = item.id
                    and frozen.size_range_size_id = wanted.size_id
            where wanted.n = item.n and frozen.requested_measurement is not null
        ) as frozen on frozen.line_id = sent.line_id and frozen.size_id = sent.size_id
        where sent.value is distinct from frozen.value
    )
union all
select wanted.n::integer, 'validation_error.unknown_reference',
    json_build_array('sizeRangeSizeIds', wanted.place - 1)::text, 'There is no such size.'
from wanted
join size_range_size size on size.organization_id = $1::bigint and size.id = wanted.size_id
join size_range owner on owner.organization_id = $1::bigint and owner.id = size.size_range_id
left join sample_request_size stored
    on stored.organization_id = $1::bigint and stored.sample_request_id = wanted.id
        and stored.size_range_size_id = wanted.size_id
where (size.is_deactivated or owner.state = 'deleted') and stored.size_range_size_id is null
union all
select item.n::integer, 'validation_error.unknown_reference',
    json_build_array('requested', sent.n - 1, case when line.id is null then 'lineId' else 'sizeRangeSizeId'
        end)::text,
    case when line.id is null then 'The chart has no such line.' else 'This size is not requested.' end
from item
cross join lateral rows from (
    jsonb_to_recordset(case jsonb_typeof(item.requested) when 'array' then item.requested else '[]' end)
        as ("lineId" bigint, "sizeRangeSizeId" bigint)
) with ordinality as sent(line_id, size_id, n)
left join measurement_line line
    on line.organization_id = $1::bigint and line.id = sent.line_id and line.style_id = item.style_id
        and not line.is_deactivated
left join wanted on wanted.n = item.n and wanted.size_id = sent.size_id
left join sample_request stored on stored.organization_id = $1::bigint and stored.id = item.id
where (line.id is null or wanted.id is null) and stored.id is null
union all
select item.n::integer, 'validation_error.duplicate',
    json_build_array('requested', max(sent.n) - 1, 'lineId')::text,
    'This line and size have a value already.'
from item
cross join lateral rows from (
    jsonb_to_recordset(case jsonb_typeof(item.requested) when 'array' then item.requested else '[]' end)
        as ("lineId" bigint, "sizeRangeSizeId" bigint)
) with ordinality as sent(line_id, size_id, n)
group by item.n, sent.line_id, sent.size_id
having count(*) > 1
union all
select item.n::integer, 'conflict.in_use', '["sizeRangeSizeIds"]', 'Used by measured values: '
    || sum(held.measured) || '.'
from item
join (
    select
        measured.sample_request_id as id,
        measured.size_range_size_id as size_id,
        sum(num_nonnulls(company_measurement, supplier_measurement, new_measurement)) as measured
    from sample_request_measurement measured
    where measured.organization_id = $1::bigint
        and measured.sample_request_id = any(array(select id from item))
    group by measured.sample_request_id, measured.size_range_size_id
) as held on held.id = item.id
left join wanted on wanted.id = held.id and wanted.size_id = held.size_id
where wanted.id is null and held.measured > 0
group by item.n;

-- sample-requests.hold_charts: Lock the styles from whose charts values are frozen.
--   $1::bigint organization_id
--   $2::bigint[] ids
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

-- sample-requests.new_sizes: Read the sizes that are not requested yet.
--   $1::bigint organization_id
--   $2::jsonb items
select item.id, size.id::bigint as size_id
from jsonb_to_recordset($2::jsonb) as item(id bigint, "sizeRangeSizeIds" jsonb)
cross join lateral jsonb_array_elements_text(
    case jsonb_typeof(item."sizeRangeSizeIds") when 'array' then item."sizeRangeSizeIds" else '[]' end
) as size(id)
left join sample_request_size stored
    on stored.organization_id = $1::bigint and stored.sample_request_id = item.id
        and stored.size_range_size_id = size.id::bigint
where stored.size_range_size_id is null;

-- sample-requests.stored_links: Read the stored links.
--   $1::bigint organization_id
--   $2::text ids
select 'sample_request_size' as link, array_agg(sample_request_id) as owner_ids,
    array_agg(size_range_size_id) as linked_ids
from sample_request_size
where organization_id = $1::bigint and sample_request_id = any((select $2::text::bigint[])::bigint[]);

-- sample-requests.remove_sample_request_size: Delete links.
--   $1::bigint organization_id
--   $2::jsonb pairs
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    with gone as materialized (
        select (pair ->> 0)::bigint as owner_id, (pair ->> 1)::bigint as linked_id
        from jsonb_array_elements($2::jsonb) as sent(pair)
    )
    delete from sample_request_size as stored
    using gone
    -- The array makes the planner begin with the owners; with a join alone it may read all links of the organization.
    where stored.organization_id = $1::bigint
        and stored.sample_request_id = any(array(select owner_id from gone))
        and stored.sample_request_id = gone.owner_id and stored.size_range_size_id = gone.linked_id
    returning stored.sample_request_id as id, sample_request_id as "measurements"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sample-requests.add_sample_request_size: Insert links.
--   $1::bigint organization_id
--   $2::jsonb pairs
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into sample_request_size as stored (organization_id, sample_request_id, size_range_size_id)
    select o.id, (sent.pair ->> 0)::bigint, (sent.pair ->> 1)::bigint
    from organization o
    cross join jsonb_array_elements($2::jsonb) as sent(pair)
    where o.id = $1::bigint
    returning stored.sample_request_id as id, sample_request_id as "measurements"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sample-requests.with_measurements: Find deleted and restored records with measurements, for the change feed.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Record changes of the parts of deleted and restored records, if they are not empty.
    select record.id as "measurements" from sample_request record
    where record.organization_id = $1::bigint and record.id = any((select $2::text::bigint[])::bigint[])
        and exists (
            select 1 from sample_request_size part
            where part.organization_id = $1::bigint and part.sample_request_id = record.id
    )
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sample-requests.freeze: Freeze the requested values of new sizes.
--   $1::bigint organization_id
--   $2::jsonb items
--   $3::jsonb new_sizes
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Freeze the requested values of new sizes: $3 has pairs of a request id and a size id. The offsets make the planner
    -- read the lines of these styles only, and the items once. A cluster would pull CTEs to the coordinator.
    insert into sample_request_measurement as stored (
        organization_id, sample_request_id, size_range_size_id, measurement_line_id, requested_measurement
    )
    select
        o.id,
        request.id,
        (added.pair ->> 1)::bigint,
        line.id,
        case when sent.id is null then chart.value else own.value end
    from organization o
    cross join jsonb_array_elements($3::jsonb) as added(pair)
    join sample_request request
        on request.organization_id = $1::bigint and request.id = (added.pair ->> 0)::bigint
    join (
        select line.id, line.style_id
        from measurement_line line
        where line.organization_id = $1::bigint and not line.is_deactivated
            and line.style_id = any(array(
                select request.style_id
                from sample_request request
                where request.organization_id = $1::bigint
                    and request.id = any(array(
                        select (added.pair ->> 0)::bigint from jsonb_array_elements($3::jsonb) as added(pair)
                    ))
            ))
        offset 0
    ) as line on line.style_id = request.style_id
    left join (
        select item.id
        from jsonb_to_recordset($2::jsonb) as item(id bigint, requested jsonb)
        where jsonb_typeof(item.requested) = 'array'
        offset 0
    ) as sent on sent.id = request.id
    left join (
        select item.id, one."lineId" as line_id, one."sizeRangeSizeId" as size_id, one.value
        from jsonb_to_recordset($2::jsonb) as item(id bigint, requested jsonb)
        cross join lateral jsonb_to_recordset(
            case when jsonb_typeof(item.requested) = 'array' then item.requested end
        ) as one("lineId" bigint, "sizeRangeSizeId" bigint, value numeric)
        offset 0
    ) as own on own.id = request.id and own.line_id = line.id and own.size_id = (added.pair ->> 1)::bigint
    left join measurement_line_value chart
        on chart.organization_id = $1::bigint and chart.measurement_line_id = line.id
            and chart.size_range_size_id = (added.pair ->> 1)::bigint
    where o.id = $1::bigint
    returning stored.sample_request_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sample-requests.purge: Delete records from the database.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    delete from sample_request
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
    returning id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sample-requests.update: Update the records that differ from their items.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update sample_request set name = item.name
    from jsonb_to_recordset($2::jsonb) as item(id bigint, name text)
    where sample_request.organization_id = $1::bigint and sample_request.id = item.id
        and sample_request.name <> item.name
    returning sample_request.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sample-requests.insert: Insert new records.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into sample_request as stored (organization_id, id, style_id, name, unit)
    select
        o.id,
        item.id,
        item."styleId",
        item.name,
        -- An item with requested values has their unit, too, even if it is null.
        coalesce(item.unit, case when item.requested is null then style.measurement_unit end)
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as item(id bigint, "styleId" bigint, name text, unit text,
        requested jsonb)
    join style on style.organization_id = $1::bigint and style.id = item."styleId"
    where o.id = $1::bigint
    returning stored.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sample-requests.key_holders: Find the live records with own keys, for organizations whose own keys are unique.
--   $1::bigint organization_id
--   $2::text[] keys
--   $3::bigint[] parent_ids
-- Live records that have the own keys $2, where these are unique; with a parent, within records with the ids $3.
select id, name as key, style_id as within_id
from sample_request
where organization_id = $1::bigint and name = any($2::text[]) and style_id = any($3::bigint[])
    and 'active' <> 'deleted';

-- sample-requests.shared_keys: Find own keys that several live records share, before they are made unique.
--   $1::bigint organization_id
--   $2::integer count
-- Own keys that several live records have, with the ids of some of these.
select name as key, (array_agg(id order by id))[1:10] as ids
from sample_request
where organization_id = $1::bigint and name is not null and 'active' <> 'deleted'
group by name, style_id
having count(*) > 1
order by name, style_id
limit $2::integer;

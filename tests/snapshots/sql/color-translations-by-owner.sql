-- color-translations-by-owner: SQL statements as they are sent; only line breaks and indents differ.

-- color-translations-by-owner.list: First page of all records, in the default order.
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
            select c.id, c.id as color_id, c.state from color c where c.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.color_id) as page_order,
            case row_number() over (order by record.color_id)
                when 30 then json_build_array(record.color_id)::text end as sort_values
            from (
                select * from record where record.state <> 'deleted' and exists (
                    select 1 from color_language part
                    where part.organization_id = $1::bigint and part.color_id = record.id
                )
                order by record.color_id limit 30 + 1 offset 0
            ) as record
        )
        select page_order, sort_values, '{"colorId":' || page.id || ',"translations":' || '['
            || coalesce(linked.documents, '') || ']' || '}' as document
        from page
        left join lateral (
            -- Part of documents and writables.
            select string_agg(
                '{"languageId":' || stored.language_id
                || ',"colorName":' || coalesce(to_json(stored.color_name)::text, 'null') || '}',
                ',' order by stored.language_id
            ) as documents
            from color_language stored
            where stored.organization_id = $1::bigint and stored.color_id = page.id
        ) as linked on true
    ) as page
) as page;
-- Page by number:
--   -                 order by record.color_id limit 30 + 1 offset 0
--   +                 order by record.color_id limit 30 + 1 offset $2::bigint
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
--   -             case row_number() over (order by record.color_id)
--   -                 when 30 then json_build_array(record.color_id)::text end as sort_values
--   +             json_build_array(record.color_id)::text as sort_values
--   + where page_order = 1 or (page_order <= 30 and bytes <= 8388608)

-- color-translations-by-owner.list_example: Example: colorId is greater than $2.
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
            select c.id, c.id as color_id, c.state from color c where c.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.color_id) as page_order,
            case row_number() over (order by record.color_id)
                when 30 then json_build_array(record.color_id)::text end as sort_values
            from (
                select * from record where record.color_id > $2::bigint and record.state <> 'deleted'
                    and exists (
                    select 1 from color_language part
                    where part.organization_id = $1::bigint and part.color_id = record.id
                )
                order by record.color_id limit 30 + 1 offset 0
            ) as record
        )
        select page_order, sort_values, '{"colorId":' || page.id || ',"translations":' || '['
            || coalesce(linked.documents, '') || ']' || '}' as document
        from page
        left join lateral (
            -- Part of documents and writables.
            select string_agg(
                '{"languageId":' || stored.language_id
                || ',"colorName":' || coalesce(to_json(stored.color_name)::text, 'null') || '}',
                ',' order by stored.language_id
            ) as documents
            from color_language stored
            where stored.organization_id = $1::bigint and stored.color_id = page.id
        ) as linked on true
    ) as page
) as page;
-- Next page, by cursor:
--   -                 )
--   +                 ) and record.color_id > $3::bigint

-- color-translations-by-owner.list_by_reference: First page of the records whose color.id is $2.
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
            select c.id, c.id as color_id, c.state from color c where c.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.color_id) as page_order,
            case row_number() over (order by record.color_id)
                when 30 then json_build_array(record.color_id)::text end as sort_values
            from (
                select * from record where -- Condition of a page: records with an entry of color that matches. The array makes the planner begin with the
                -- entries; with a join it may read all records until it has a page of matches.
                record.id = any(array(
                    select entry.id from color entry
                    where entry.organization_id = $1::bigint and true and entry.id = $2::bigint
                )) and record.state <> 'deleted' and exists (
                    select 1 from color_language part
                    where part.organization_id = $1::bigint and part.color_id = record.id
                )
                order by record.color_id limit 30 + 1 offset 0
            ) as record
        )
        select page_order, sort_values, '{"colorId":' || page.id || ',"translations":' || '['
            || coalesce(linked.documents, '') || ']' || '}' as document
        from page
        left join lateral (
            -- Part of documents and writables.
            select string_agg(
                '{"languageId":' || stored.language_id
                || ',"colorName":' || coalesce(to_json(stored.color_name)::text, 'null') || '}',
                ',' order by stored.language_id
            ) as documents
            from color_language stored
            where stored.organization_id = $1::bigint and stored.color_id = page.id
        ) as linked on true
    ) as page
) as page;
-- color.userDefinedId is $2:
--   -                     where entry.organization_id = $1::bigint and true and entry.id = $2::bigint
--   +                     where entry.organization_id = $1::bigint and true and entry.user_defined_id = $2::text

-- color-translations-by-owner.list_changed: First page of the records that transactions after a number have changed.
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
            select c.id, c.id as color_id, c.state from color c where c.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.color_id) as page_order,
            case row_number() over (order by record.color_id)
                when 30 then json_build_array(record.color_id)::text end as sort_values
            from (
                select * from record where record.state <> 'deleted' and exists (
                    select 1 from color_language part
                    where part.organization_id = $1::bigint and part.color_id = record.id
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
                    cross join lateral jsonb_each(change.records -> 'color-translations') as operation(name,
                        ids)
                    cross join lateral jsonb_array_elements_text(operation.ids) as changed(record_id)
                )
                order by record.color_id limit 30 + 1 offset 0
            ) as record
        )
        select page_order, sort_values, '{"colorId":' || page.id || ',"translations":' || '['
            || coalesce(linked.documents, '') || ']' || '}' as document
        from page
        left join lateral (
            -- Part of documents and writables.
            select string_agg(
                '{"languageId":' || stored.language_id
                || ',"colorName":' || coalesce(to_json(stored.color_name)::text, 'null') || '}',
                ',' order by stored.language_id
            ) as documents
            from color_language stored
            where stored.organization_id = $1::bigint and stored.color_id = page.id
        ) as linked on true
    ) as page
) as page;

-- color-translations-by-owner.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
with record as (
    select c.id, c.id as color_id, c.state from color c where c.organization_id = $1::bigint
),
page as materialized (
    select record.id from record where record.state <> 'deleted' and exists (
        select 1 from color_language part
        where part.organization_id = $1::bigint and part.color_id = record.id
    )
)
select count(*) as total from page;
-- Count of the example:
--   -     select record.id from record where record.state <> 'deleted' and exists (
--   +     select record.id from record where record.color_id > $2::bigint and record.state <> 'deleted' and exists (

-- color-translations-by-owner.read: Read a document.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select c.id, c.id as color_id, c.state from color c where c.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '{"colorId":' || page.id || ',"translations":' || '['
        || coalesce(linked.documents, '') || ']' || '}' as document
    from page
    left join lateral (
        -- Part of documents and writables.
        select string_agg(
            '{"languageId":' || stored.language_id
            || ',"colorName":' || coalesce(to_json(stored.color_name)::text, 'null') || '}',
            ',' order by stored.language_id
        ) as documents
        from color_language stored
        where stored.organization_id = $1::bigint and stored.color_id = page.id
    ) as linked on true
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])
-- Change feed with documents, one record:
--   -     case when count(*) = 1 or sum(octet_length(document)) <= 33554432
--   +     case when count(*) = 1 or sum(octet_length(document)) <= 8388608
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = $2::bigint and record.state <> 'deleted' and exists (
--   +             select 1 from color_language part
--   +             where part.organization_id = $1::bigint and part.color_id = record.id
--   +         )
-- Change feed with documents, several records:
--   -     case when count(*) = 1 or sum(octet_length(document)) <= 33554432
--   +     case when count(*) = 1 or sum(octet_length(document)) <= 8388608
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[]) and record.state <> 'deleted'
--   +             and exists (
--   +             select 1 from color_language part
--   +             where part.organization_id = $1::bigint and part.color_id = record.id
--   +         )

-- color-translations-by-owner.read_writable: Read a writable form.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    -- Empty without the multiple-language feature, which writes require.
    with record as (
        select c.id, c.id as color_id, c.state from color c where c.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    feature as (
        select multiple_language from organization where id = $1::bigint
    )
    select
        page_order,
        sort_values,
        '{"colorId":' || page.id || ',"translations":' || '['
        || case when feature.multiple_language then coalesce(linked.documents, '') else '' end
        || ']' || '}' as document
    from page
    cross join feature
    left join lateral (
        -- Part of documents and writables.
        select string_agg(
            '{"languageId":' || stored.language_id
            || ',"colorName":' || coalesce(to_json(stored.color_name)::text, 'null') || '}',
            ',' order by stored.language_id
        ) as documents
        from color_language stored
        where stored.organization_id = $1::bigint and stored.color_id = page.id
    ) as linked on true
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- color-translations-by-owner.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, state as state, user_defined_id as key, null::bigint as within_id from color
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;

-- languages: SQL statements as they are sent; only line breaks and indents differ.

-- languages.list: First page of all records, in the default order.
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
            select l.*, $1::bigint as organization_id from language l
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record order by record.id limit 30 + 1 offset 0
            ) as record
        )
        select
            page_order,
            sort_values,
            '{"id":' || id || ',"name":' || to_json(name) || ',"code":' || to_json(code) || '}' as document
        from page
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

-- languages.list_example: Example: name contains $2, sorted by it, descending.
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
        with record as (
            select l.*, $1::bigint as organization_id from language l
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
        )
        select
            page_order,
            sort_values,
            '{"id":' || id || ',"name":' || to_json(name) || ',"code":' || to_json(code) || '}' as document
        from page
    ) as page
) as page;
-- Next page, by cursor:
--   +                     and (record.name <= $3::text) and (record.name < $3::text or record.id > $4::bigint)

-- languages.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
with record as (
    select l.*, $1::bigint as organization_id from language l
),
page as materialized (
    select record.id from record
)
select count(*) as total from page;
-- Count of the example:
--   +         where strpos(lower(record.name collate "default"), lower($2::text collate "default")) > 0

-- languages.id_by_key: Find the record that a path names by its own key, code.
--   $1::bigint organization_id
--   $2::text key
-- Languages are shared by all organizations. The organization is a parameter, as in every statement.
select id, lower(code) as key, null::bigint as within_id, true as is_live
from language
where $1::bigint is not null and lower(code) = any(array[lower($2::text)]);

-- languages.read: Read a document.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select l.*, $1::bigint as organization_id from language l
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select
        page_order,
        sort_values,
        '{"id":' || id || ',"name":' || to_json(name) || ',"code":' || to_json(code) || '}' as document
    from page
) as page;

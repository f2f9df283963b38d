-- styles: SQL statements as they are sent; only line breaks and indents differ.

-- styles.list: First page of all records, in the default order.
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
        -- Documents or writables.
        with record as (
            select r.* from style r where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where record.state <> 'deleted'
                order by record.id limit 30 + 1 offset 0
            ) as record
        )
        select page_order, sort_values, '{"id":' || id::text || ',"number":' || to_json(number)::text
            || ',"name":' || to_json(name)::text || coalesce(',"brandId":' || brand_id::text, '')
            || coalesce(',"styleCategoryId":' || style_category_id::text, '') || ',"groupIds":['
            || coalesce(group_ids, '') || '],"state":"' || state || '"}' as document
        from page
        -- Part of documents and writables: the groups of each style.
        left join lateral (
            select string_agg(stored.group_id::text, ',' order by stored.group_id) as group_ids
            from style_in_group stored
            where stored.organization_id = $1::bigint and stored.style_id = page.id
        ) as linked on true
    ) as page
) as page;
-- Page by number:
--   -                 order by record.id limit 30 + 1 offset 0
--   +                 order by record.id limit 30 + 1 offset $2::bigint
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

-- styles.list_example: Example: number contains $2, sorted by it, descending.
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
        -- Documents or writables.
        with record as (
            select r.* from style r where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.number desc, record.id) as page_order,
            case row_number() over (order by record.number desc, record.id)
                when 30 then json_build_array(record.number, record.id)::text end as sort_values
            from (
                select * from record
                    where strpos(lower(record.number collate "default"),
                        lower($2::text collate "default")) > 0
                    and record.state <> 'deleted'
                order by record.number desc, record.id limit 30 + 1 offset 0
            ) as record
        )
        select page_order, sort_values, '{"id":' || id::text || ',"number":' || to_json(number)::text
            || ',"name":' || to_json(name)::text || coalesce(',"brandId":' || brand_id::text, '')
            || coalesce(',"styleCategoryId":' || style_category_id::text, '') || ',"groupIds":['
            || coalesce(group_ids, '') || '],"state":"' || state || '"}' as document
        from page
        -- Part of documents and writables: the groups of each style.
        left join lateral (
            select string_agg(stored.group_id::text, ',' order by stored.group_id) as group_ids
            from style_in_group stored
            where stored.organization_id = $1::bigint and stored.style_id = page.id
        ) as linked on true
    ) as page
) as page;
-- Next page, by cursor:
--   -                     and record.state <> 'deleted'
--   +                     and record.state <> 'deleted' and (record.number <= $3::text)
--   +                     and (record.number < $3::text or record.id > $4::bigint)

-- styles.list_by_reference: First page of the records whose brand.id is $2.
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
        -- Documents or writables.
        with record as (
            select r.* from style r where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where -- Condition of a page: records with an entry of style that matches. The array makes the planner begin with the
                -- entries; with a join it may read all records until it has a page of matches.
                record.id = any(array(
                    select entry.id from style entry
                    where entry.organization_id = $1::bigint and true and entry.brand_id = $2::bigint
                )) and record.state <> 'deleted'
                order by record.id limit 30 + 1 offset 0
            ) as record
        )
        select page_order, sort_values, '{"id":' || id::text || ',"number":' || to_json(number)::text
            || ',"name":' || to_json(name)::text || coalesce(',"brandId":' || brand_id::text, '')
            || coalesce(',"styleCategoryId":' || style_category_id::text, '') || ',"groupIds":['
            || coalesce(group_ids, '') || '],"state":"' || state || '"}' as document
        from page
        -- Part of documents and writables: the groups of each style.
        left join lateral (
            select string_agg(stored.group_id::text, ',' order by stored.group_id) as group_ids
            from style_in_group stored
            where stored.organization_id = $1::bigint and stored.style_id = page.id
        ) as linked on true
    ) as page
) as page;
-- brand.customId is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of brand.
--   -                     select entry.id from style entry
--   -                     where entry.organization_id = $1::bigint and true and entry.brand_id = $2::bigint
--   +                     select entry.id
--   +                     from brand target
--   +                     join style entry on entry.organization_id = $1::bigint and entry.brand_id = target.id
--   +                     where target.organization_id = $1::bigint and target.custom_id = $2::text
-- styleCategory.id is $2:
--   -                     where entry.organization_id = $1::bigint and true and entry.brand_id = $2::bigint
--   +                     where entry.organization_id = $1::bigint and true and entry.style_category_id = $2::bigint
-- styleCategory.userDefinedId is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of style_category.
--   -                     select entry.id from style entry
--   -                     where entry.organization_id = $1::bigint and true and entry.brand_id = $2::bigint
--   +                     select entry.id
--   +                     from style_category target
--   +                     join style entry on entry.organization_id = $1::bigint
--   +                         and entry.style_category_id = target.id
--   +                     where target.organization_id = $1::bigint and target.user_defined_id = $2::text
-- groups.id is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style that matches. The array makes the planner begin with the
--   +                 select * from record where -- Condition of a page: records with an entry of style_in_group that matches. The array makes the planner begin with the
--   -                     select entry.id from style entry
--   -                     where entry.organization_id = $1::bigint and true and entry.brand_id = $2::bigint
--   +                     select entry.style_id from style_in_group entry
--   +                     where entry.organization_id = $1::bigint and true and entry.group_id = $2::bigint
-- groups.userDefinedId is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of style_group.
--   -                     select entry.id from style entry
--   -                     where entry.organization_id = $1::bigint and true and entry.brand_id = $2::bigint
--   +                     select entry.style_id
--   +                     from style_group target
--   +                     join style_in_group entry on entry.organization_id = $1::bigint
--   +                         and entry.group_id = target.id
--   +                     where target.organization_id = $1::bigint and target.user_defined_id = $2::text

-- styles.list_changed: First page of the records that transactions after a number have changed.
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
        -- Documents or writables.
        with record as (
            select r.* from style r where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where record.state <> 'deleted' and -- Condition of lists: records that transactions after a number, or without one, have changed, and records that show
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
                    cross join lateral jsonb_each(change.records -> 'styles') as operation(name, ids)
                    cross join lateral jsonb_array_elements_text(operation.ids) as changed(record_id)
                )
                order by record.id limit 30 + 1 offset 0
            ) as record
        )
        select page_order, sort_values, '{"id":' || id::text || ',"number":' || to_json(number)::text
            || ',"name":' || to_json(name)::text || coalesce(',"brandId":' || brand_id::text, '')
            || coalesce(',"styleCategoryId":' || style_category_id::text, '') || ',"groupIds":['
            || coalesce(group_ids, '') || '],"state":"' || state || '"}' as document
        from page
        -- Part of documents and writables: the groups of each style.
        left join lateral (
            select string_agg(stored.group_id::text, ',' order by stored.group_id) as group_ids
            from style_in_group stored
            where stored.organization_id = $1::bigint and stored.style_id = page.id
        ) as linked on true
    ) as page
) as page;

-- styles.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
-- Documents or writables.
with record as (
    select r.* from style r where r.organization_id = $1::bigint
),
page as materialized (
    select record.id from record where record.state <> 'deleted'
)
select count(*) as total from page;
-- Count of the example:
--   -     select record.id from record where record.state <> 'deleted'
--   +     select record.id from record
--   +         where strpos(lower(record.number collate "default"), lower($2::text collate "default")) > 0
--   +         and record.state <> 'deleted'

-- styles.id_by_key: Find the record that a path names by its own key, number.
--   $1::bigint organization_id
--   $2::text key
-- Live records with an own key: more than one, if it is ambiguous.
select id from style
where organization_id = $1::bigint and number = $2::text and state <> 'deleted'
order by id
limit 5;

-- styles.read: Read a document.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    -- Documents or writables.
    with record as (
        select r.* from style r where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '{"id":' || id::text || ',"number":' || to_json(number)::text
        || ',"name":' || to_json(name)::text || coalesce(',"brandId":' || brand_id::text, '')
        || coalesce(',"styleCategoryId":' || style_category_id::text, '') || ',"groupIds":['
        || coalesce(group_ids, '') || '],"state":"' || state || '"}' as document
    from page
    -- Part of documents and writables: the groups of each style.
    left join lateral (
        select string_agg(stored.group_id::text, ',' order by stored.group_id) as group_ids
        from style_in_group stored
        where stored.organization_id = $1::bigint and stored.style_id = page.id
    ) as linked on true
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])
-- Change feed with documents, one record:
--   -     case when count(*) = 1 or sum(octet_length(document)) <= 33554432
--   +     case when count(*) = 1 or sum(octet_length(document)) <= 8388608
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = $2::bigint and record.state <> 'deleted'
-- Change feed with documents, several records:
--   -     case when count(*) = 1 or sum(octet_length(document)) <= 33554432
--   +     case when count(*) = 1 or sum(octet_length(document)) <= 8388608
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[]) and record.state <> 'deleted'

-- styles.read_writable: Read a writable form.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    -- Documents or writables.
    with record as (
        select r.* from style r where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '{"number":' || to_json(number)::text || ',"name":' || to_json(name)::text
        || ',"brandId":' || coalesce(brand_id::text, 'null') || ',"styleCategoryId":'
        || coalesce(style_category_id::text, 'null') || ',"groupIds":[' || coalesce(group_ids, '')
        || '],"state":"' || state || '"}' as document
    from page
    -- Part of documents and writables: the groups of each style.
    left join lateral (
        select string_agg(stored.group_id::text, ',' order by stored.group_id) as group_ids
        from style_in_group stored
        where stored.organization_id = $1::bigint and stored.style_id = page.id
    ) as linked on true
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- styles.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, state as state, number as key, null::bigint as within_id from style
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- styles.lock_by_key: Lock the records of a write that names them by own key, number.
--   $1::bigint organization_id
--   $2::text[] keys
select id, state as state, number as key, null::bigint as within_id from style
where organization_id = $1::bigint and id = any(array(
    select one.id from style one where one.organization_id = $1::bigint and one.number = any($2::text[])
))
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- styles.references_of_brandId: Lock the records that brandId refers to.
--   $1::bigint organization_id
--   $2::bigint[] ids
-- Lock the referred records until the end of the transaction.
select id, state <> 'deleted' as is_live from brand
where organization_id = $1::bigint and id = any($2::bigint[])
order by id
for key share;

-- styles.references_of_styleCategoryId: Lock the records that styleCategoryId refers to.
--   $1::bigint organization_id
--   $2::bigint[] ids
-- Lock the referred records until the end of the transaction.
select id, state <> 'deleted' as is_live from style_category
where organization_id = $1::bigint and id = any($2::bigint[])
order by id
for key share;

-- styles.references_of_groupIds: Lock the records that groupIds refers to.
--   $1::bigint organization_id
--   $2::bigint[] ids
-- Lock the referred records until the end of the transaction.
select id, state <> 'deleted' as is_live from style_group
where organization_id = $1::bigint and id = any($2::bigint[])
order by id
for key share;

-- styles.uses: Count the live records that refer to the records to delete.
--   $1::bigint organization_id
--   $2::text ids
-- Ids that records of style_relation refer to by style_relation, which may be the same table, with the number of live records, and
-- with the ids and own keys of the first ones.
select
    link.style_id as id,
    'style relations' as users,
    count(*) filter (where true) as uses,
    array(
        select json_build_array(named.id, named.key)::text
        from (
            select record.id,
                (select related.number from style related where related.organization_id = $1::bigint
                    and related.id = record.related_style_id) as key
            from style_relation other
            join style_relation record on record.organization_id = $1::bigint and record.id = other.id
            where other.organization_id = $1::bigint and other.style_id = link.style_id and true
            offset 0
        ) as named
        order by named.id
        limit 10
    ) as first
from style_relation link
join style_relation record on record.organization_id = $1::bigint and record.id = link.id
where link.organization_id = $1::bigint and link.style_id = any((select $2::text::bigint[])::bigint[])
group by link.style_id
union all
-- Ids that records of style_relation refer to by style_relation, which may be the same table, with the number of live records, and
-- with the ids and own keys of the first ones.
select
    link.related_style_id as id,
    'style relations' as users,
    count(*) filter (where true) as uses,
    array(
        select json_build_array(named.id, named.key)::text
        from (
            select record.id,
                (select related.number from style related where related.organization_id = $1::bigint
                    and related.id = record.related_style_id) as key
            from style_relation other
            join style_relation record on record.organization_id = $1::bigint and record.id = other.id
            where other.organization_id = $1::bigint and other.related_style_id = link.related_style_id
                and true
            offset 0
        ) as named
        order by named.id
        limit 10
    ) as first
from style_relation link
join style_relation record on record.organization_id = $1::bigint and record.id = link.id
where link.organization_id = $1::bigint and link.related_style_id = any((select $2::text::bigint[])::bigint[])
group by link.related_style_id
union all
-- Ids that records of sample_request refer to by sample_request, which may be the same table, with the number of live records, and
-- with the ids and own keys of the first ones.
select
    link.style_id as id,
    'sample requests' as users,
    count(*) filter (where true) as uses,
    array(
        select json_build_array(named.id, named.key)::text
        from (
            select record.id, record.name as key
            from sample_request other
            join sample_request record on record.organization_id = $1::bigint and record.id = other.id
            where other.organization_id = $1::bigint and other.style_id = link.style_id and true
            offset 0
        ) as named
        order by named.id
        limit 10
    ) as first
from sample_request link
join sample_request record on record.organization_id = $1::bigint and record.id = link.id
where link.organization_id = $1::bigint and link.style_id = any((select $2::text::bigint[])::bigint[])
group by link.style_id;

-- styles.charted_in: Find restored styles with chart values of deleted size ranges.
--   $1::bigint organization_id
--   $2::bigint[] ids
--   $3::bigint[] size_range_ids
-- Return the styles among $2 whose charts have values in sizes of the size ranges $3.
select distinct line.style_id as id
from measurement_line line
join measurement_line_value charted
    on charted.organization_id = $1::bigint and charted.measurement_line_id = line.id
join size_range_size size on size.organization_id = $1::bigint and size.id = charted.size_range_size_id
where line.organization_id = $1::bigint and line.style_id = any($2::bigint[])
    and size.size_range_id = any($3::bigint[]);

-- styles.hold_size_ranges: Lock the size ranges of the charts of restored styles.
--   $1::bigint organization_id
--   $2::bigint[] ids
-- Lock the size ranges in which the charts of the styles $2 have values, until the end of the transaction.
select owner.id, owner.state
from size_range owner
where owner.organization_id = $1::bigint
    and owner.id = any(array(
        select size.size_range_id
        from measurement_line line
        join measurement_line_value charted
            on charted.organization_id = $1::bigint and charted.measurement_line_id = line.id
        join size_range_size size
            on size.organization_id = $1::bigint and size.id = charted.size_range_size_id
        where line.organization_id = $1::bigint and line.style_id = any($2::bigint[])
    ))
order by owner.id
for key share;

-- styles.stored_links: Read the stored links.
--   $1::bigint organization_id
--   $2::text ids
select 'style_in_group' as link, array_agg(style_id) as owner_ids, array_agg(group_id) as linked_ids
from style_in_group
where organization_id = $1::bigint and style_id = any((select $2::text::bigint[])::bigint[]);

-- styles.remove_style_in_group: Delete links.
--   $1::bigint organization_id
--   $2::jsonb pairs
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    with gone as materialized (
        select (pair ->> 0)::bigint as owner_id, (pair ->> 1)::bigint as linked_id
        from jsonb_array_elements($2::jsonb) as sent(pair)
    )
    delete from style_in_group as stored
    using gone
    -- The array makes the planner begin with the owners; with a join alone it may read all links of the organization.
    where stored.organization_id = $1::bigint and stored.style_id = any(array(select owner_id from gone))
        and stored.style_id = gone.owner_id and stored.group_id = gone.linked_id
    returning stored.style_id as id, group_id as "groups"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- styles.add_style_in_group: Insert links.
--   $1::bigint organization_id
--   $2::jsonb pairs
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into style_in_group as stored (organization_id, style_id, group_id)
    select o.id, (sent.pair ->> 0)::bigint, (sent.pair ->> 1)::bigint
    from organization o
    cross join jsonb_array_elements($2::jsonb) as sent(pair)
    where o.id = $1::bigint
    returning stored.style_id as id, group_id as "groups"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- styles.with_measurement-charts: Find deleted and restored records with measurement-charts, for the change feed.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Record changes of the parts of deleted and restored records, if they are not empty.
    select record.id as "measurement-charts" from style record
    where record.organization_id = $1::bigint and record.id = any((select $2::text::bigint[])::bigint[])
        and (
            record.measurement_unit is not null
            or exists (
                select 1 from measurement_line part
                where part.organization_id = $1::bigint and part.style_id = record.id
            )
    )
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- styles.delete: Mark records as deleted.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update style set state = 'deleted'
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
    returning id, false as shown
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- styles.tell_deleted: Find the groups that count a style less.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Record changes of the groups, which count one style less.
    select group_id as groups from style_in_group
    where organization_id = $1::bigint and style_id = any((select $2::text::bigint[])::bigint[])
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- styles.tell_restored: Find the groups that count a style more.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Record changes of the groups, which count one style more.
    select linked.group_id as groups
    from jsonb_to_recordset($2::jsonb) as item(id bigint, state text)
    join style stored on stored.organization_id = $1::bigint and stored.id = item.id
    join style_in_group linked on linked.organization_id = $1::bigint and linked.style_id = item.id
    where stored.state = 'deleted' and item.state <> 'deleted'
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- styles.update: Update the records that differ from their items.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update style as stored
    set number = item."number", name = item."name", brand_id = item."brandId",
        style_category_id = item."styleCategoryId", state = item."state"
    from jsonb_to_recordset($2::jsonb) as item(id bigint, "number" text, "name" text, "brandId" bigint,
        "styleCategoryId" bigint, "state" text)
    join style before on before.organization_id = $1::bigint and before.id = item.id
    where stored.organization_id = $1::bigint and stored.id = item.id
        and row(stored.number, stored.name, stored.brand_id, stored.style_category_id,
            stored.state) is distinct
            from row(item."number", item."name", item."brandId", item."styleCategoryId", item."state")
    returning stored.id, row(stored.number, stored.name) is distinct
        from row(before.number, before.name) as shown
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- styles.insert: Insert new records.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into style as stored (organization_id, id, number, name, brand_id, style_category_id, state)
    select o.id, item.id, item."number", item."name", item."brandId", item."styleCategoryId",
        coalesce(item."state", 'active')
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as item(id bigint, "number" text, "name" text, "brandId" bigint,
        "styleCategoryId" bigint, "state" text)
    where o.id = $1::bigint
    returning stored.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- styles.shown_in_style_relations: Find the style-relations that show changed records, for the change feed.
--   $1::bigint organization_id
--   $2::bigint[] ids
--   $3::bigint after_id
--   $4::integer limit
--   $5::bigint record_id
-- Ids of records that show the changed ones, after id $3.
select distinct shown.id
from (
    select id from style_relation
    where organization_id = $1::bigint and related_style_id = any($2::bigint[])
) as shown
where shown.id > $3::bigint and ($5::bigint is null or shown.id = $5::bigint)
order by shown.id
limit $4::integer;

-- styles.key_holders: Find the live records with own keys, for organizations whose own keys are unique.
--   $1::bigint organization_id
--   $2::text[] keys
-- Live records that have the own keys $2, where these are unique; with a parent, within records with the ids $3.
select id, number as key, null::bigint as within_id
from style
where organization_id = $1::bigint and number = any($2::text[]) and state <> 'deleted';

-- styles.shared_keys: Find own keys that several live records share, before they are made unique.
--   $1::bigint organization_id
--   $2::integer count
-- Own keys that several live records have, with the ids of some of these.
select number as key, (array_agg(id order by id))[1:10] as ids
from style
where organization_id = $1::bigint and number is not null and state <> 'deleted'
group by number, null::bigint
having count(*) > 1
order by number, null::bigint
limit $2::integer;

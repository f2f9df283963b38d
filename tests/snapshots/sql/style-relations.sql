-- style-relations: SQL statements as they are sent; only line breaks and indents differ.

-- style-relations.list: First page of all records, in the default order.
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
            select
                r.*,
                s.number as related_style_number,
                s.name as related_style_name
            from style_relation r
            join style s on s.organization_id = $1::bigint and s.id = r.related_style_id
            where r.organization_id = $1::bigint
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
            concat(
                '{"id":', id,
                ',"styleId":', style_id,
                ',"relatedStyleId":', related_style_id,
                ',"relatedStyleNumber":', to_json(related_style_number),
                ',"relatedStyleName":', to_json(related_style_name),
                '}'
            ) as document
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

-- style-relations.list_example: Example: relatedStyleNumber contains $2, sorted by it, descending.
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
            select
                r.*,
                s.number as related_style_number,
                s.name as related_style_name
            from style_relation r
            join style s on s.organization_id = $1::bigint and s.id = r.related_style_id
            where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*,
                row_number() over (order by record.related_style_number desc, record.id) as page_order,
            case row_number() over (order by record.related_style_number desc, record.id)
                when 30 then json_build_array(record.related_style_number, record.id)::text end as sort_values
            from (
                select * from record
                    where strpos(lower(record.related_style_number collate "default"),
                        lower($2::text collate "default")) > 0
                order by record.related_style_number desc, record.id limit 30 + 1 offset 0
            ) as record
        )
        select
            page_order,
            sort_values,
            concat(
                '{"id":', id,
                ',"styleId":', style_id,
                ',"relatedStyleId":', related_style_id,
                ',"relatedStyleNumber":', to_json(related_style_number),
                ',"relatedStyleName":', to_json(related_style_name),
                '}'
            ) as document
        from page
    ) as page
) as page;
-- Next page, by cursor:
--   +                     and (record.related_style_number <= $3::text)
--   +                     and (record.related_style_number < $3::text or record.id > $4::bigint)

-- style-relations.list_by_reference: First page of the records whose style.id is $2.
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
            select
                r.*,
                s.number as related_style_number,
                s.name as related_style_name
            from style_relation r
            join style s on s.organization_id = $1::bigint and s.id = r.related_style_id
            where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where -- Condition of a page: records with an entry of style_relation that matches. The array makes the planner begin with the
                -- entries; with a join it may read all records until it has a page of matches.
                record.id = any(array(
                    select entry.id from style_relation entry
                    where entry.organization_id = $1::bigint and true and entry.style_id = $2::bigint
                ))
                order by record.id limit 30 + 1 offset 0
            ) as record
        )
        select
            page_order,
            sort_values,
            concat(
                '{"id":', id,
                ',"styleId":', style_id,
                ',"relatedStyleId":', related_style_id,
                ',"relatedStyleNumber":', to_json(related_style_number),
                ',"relatedStyleName":', to_json(related_style_name),
                '}'
            ) as document
        from page
    ) as page
) as page;
-- style.number is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style_relation that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of style.
--   -                     select entry.id from style_relation entry
--   -                     where entry.organization_id = $1::bigint and true and entry.style_id = $2::bigint
--   +                     select entry.id
--   +                     from style target
--   +                     join style_relation entry on entry.organization_id = $1::bigint
--   +                         and entry.style_id = target.id
--   +                     where target.organization_id = $1::bigint and target.number = $2::text
-- relatedStyle.id is $2:
--   -                     where entry.organization_id = $1::bigint and true and entry.style_id = $2::bigint
--   +                     where entry.organization_id = $1::bigint and true and entry.related_style_id = $2::bigint
-- relatedStyle.number is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style_relation that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of style.
--   -                     select entry.id from style_relation entry
--   -                     where entry.organization_id = $1::bigint and true and entry.style_id = $2::bigint
--   +                     select entry.id
--   +                     from style target
--   +                     join style_relation entry on entry.organization_id = $1::bigint
--   +                         and entry.related_style_id = target.id
--   +                     where target.organization_id = $1::bigint and target.number = $2::text

-- style-relations.list_changed: First page of the records that transactions after a number have changed.
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
            select
                r.*,
                s.number as related_style_number,
                s.name as related_style_name
            from style_relation r
            join style s on s.organization_id = $1::bigint and s.id = r.related_style_id
            where r.organization_id = $1::bigint
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
                    cross join lateral jsonb_each(change.records -> 'style-relations') as operation(name, ids)
                    cross join lateral jsonb_array_elements_text(operation.ids) as changed(record_id)
                    -- Part of changed_records: records that show changed ones of one kind.
                    union all
                    select shown.id from (
                        select id from style_relation
                        where organization_id = $1::bigint and related_style_id = any(
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
                                    change.causes -> 'styles'
                                ) as changed(record_id)
                    ))) as shown
                )
                order by record.id limit 30 + 1 offset 0
            ) as record
        )
        select
            page_order,
            sort_values,
            concat(
                '{"id":', id,
                ',"styleId":', style_id,
                ',"relatedStyleId":', related_style_id,
                ',"relatedStyleNumber":', to_json(related_style_number),
                ',"relatedStyleName":', to_json(related_style_name),
                '}'
            ) as document
        from page
    ) as page
) as page;

-- style-relations.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
with record as (
    select
        r.*,
        s.number as related_style_number,
        s.name as related_style_name
    from style_relation r
    join style s on s.organization_id = $1::bigint and s.id = r.related_style_id
    where r.organization_id = $1::bigint
),
page as materialized (
    select record.id from record
)
select count(*) as total from page;
-- Count of the example:
--   +         where strpos(lower(record.related_style_number collate "default"),
--   +             lower($2::text collate "default")) > 0

-- style-relations.read: Read a document.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select
            r.*,
            s.number as related_style_number,
            s.name as related_style_name
        from style_relation r
        join style s on s.organization_id = $1::bigint and s.id = r.related_style_id
        where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select
        page_order,
        sort_values,
        concat(
            '{"id":', id,
            ',"styleId":', style_id,
            ',"relatedStyleId":', related_style_id,
            ',"relatedStyleNumber":', to_json(related_style_number),
            ',"relatedStyleName":', to_json(related_style_name),
            '}'
        ) as document
    from page
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

-- style-relations.read_writable: Read a writable form.
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
        select r.* from style_relation r where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '{"styleId":' || style_id::text || ',"relatedStyleId":'
        || related_style_id::text || '}' as document
    from page
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- style-relations.read_last: Read the last document of a record before its delete.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select
            r.*,
            s.number as related_style_number,
            s.name as related_style_name
        from style_relation r
        join style s on s.organization_id = $1::bigint and s.id = r.related_style_id
        where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select
        page_order,
        sort_values,
        concat(
            '{"id":', id,
            ',"styleId":', style_id,
            ',"relatedStyleId":', related_style_id,
            ',"relatedStyleNumber":', to_json(related_style_number),
            ',"relatedStyleName":', to_json(related_style_name),
            '}'
        ) as document
    from page
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- style-relations.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, 'active' as state, related_style_id as key, style_id as within_id from style_relation
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- style-relations.lock_by_key: Lock the records of a write that names them by own key, relatedStyleId.
--   $1::bigint organization_id
--   $2::bigint[] keys
--   $3::bigint[] parent_ids
select id, 'active' as state, related_style_id as key, style_id as within_id from style_relation
where organization_id = $1::bigint and -- Own keys within records with the ids $3. The offset makes the planner look keys up one by one, not read all records.
id = any(array(
    select found.id
    from unnest($2::bigint[], $3::bigint[]) as sent(key, within_id)
    cross join lateral (
        select one.id from style_relation one
        where one.organization_id = $1::bigint and one.style_id = sent.within_id
            and one.related_style_id = sent.key
        offset 0
    ) as found
))
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- style-relations.references_of_styleId: Lock the records that styleId refers to.
--   $1::bigint organization_id
--   $2::bigint[] ids
-- Lock the referred records until the end of the transaction.
select id, state <> 'deleted' as is_live from style
where organization_id = $1::bigint and id = any($2::bigint[])
order by id
for no key update;

-- style-relations.references_of_relatedStyleId: Lock the records that relatedStyleId refers to.
--   $1::bigint organization_id
--   $2::bigint[] ids
-- Lock the referred records until the end of the transaction.
select id, state <> 'deleted' as is_live from style
where organization_id = $1::bigint and id = any($2::bigint[])
order by id
for key share;

-- style-relations.check_pairs: Report pairs that are related already.
--   $1::bigint organization_id
--   $2::jsonb items
select
    item.n::integer as item,
    'conflict.duplicate' as type,
    '["relatedStyleId"]' as path,
    'The styles are related already.' as message
from rows from (
    jsonb_to_recordset($2::jsonb) as (id bigint, "styleId" bigint, "relatedStyleId" bigint)
) with ordinality as item(id, style_id, related_style_id, n)
join style_relation stored
    on stored.organization_id = $1::bigint and stored.style_id = item.style_id
        and stored.related_style_id = item.related_style_id
where stored.id <> all(array(
    select sent.id from jsonb_to_recordset($2::jsonb) as sent(id bigint)
))
order by item.n;

-- style-relations.numbers: Read the numbers of related styles, which outcomes show.
--   $1::bigint organization_id
--   $2::bigint[] ids
select id, number from style where organization_id = $1::bigint and id = any($2::bigint[]);

-- style-relations.purge: Delete records from the database.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    delete from style_relation
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
    returning id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- style-relations.update: Update the records that differ from their items.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update style_relation as stored
    set style_id = item."styleId", related_style_id = item."relatedStyleId"
    from jsonb_to_recordset($2::jsonb) as item(id bigint, "styleId" bigint, "relatedStyleId" bigint)
    join style_relation before on before.organization_id = $1::bigint and before.id = item.id
    where stored.organization_id = $1::bigint and stored.id = item.id
        and row(stored.style_id, stored.related_style_id) is distinct
            from row(item."styleId", item."relatedStyleId")
    returning stored.id, false as shown
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- style-relations.insert: Insert new records.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into style_relation as stored (organization_id, id, style_id, related_style_id)
    select o.id, item.id, item."styleId", item."relatedStyleId"
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as item(id bigint, "styleId" bigint, "relatedStyleId" bigint)
    where o.id = $1::bigint
    returning stored.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

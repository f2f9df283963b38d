-- colors: SQL statements as they are sent; only line breaks and indents differ.

-- colors.list: First page of all records, in the default order.
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
            select c.* from color c where c.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where record.state <> 'deleted'
                order by record.id limit 30 + 1 offset 0
            ) as record
        ),
        group_link as materialized (
            select color_id, color_group_id
            from color_in_group
            where organization_id = $1::bigint and color_id = any(array(select id from page))
        ),
        group_document as materialized (
            select
                id,
                '{"id":' || id
                || ',"name":' || to_json(name)
                || coalesce(',"userDefinedId":' || to_json(user_defined_id), '')
                || ',"state":"' || state || '"}' as document
            from color_group
            where organization_id = $1::bigint
                and id = any(array(select distinct color_group_id from group_link))
        ),
        color_groups as (
            select l.color_id, string_agg(g.document, ',' order by g.id) as documents
            from group_link l
            join group_document g on g.id = l.color_group_id
            group by l.color_id
        ),
        language_link as materialized (
            select color_id, language_id, color_name
            from color_language
            where organization_id = $1::bigint and color_id = any(array(select id from page))
        ),
        language_document as materialized (
            select
                id,
                '{"languageId":' || id
                || ',"languageName":' || to_json(name)
                || ',"languageCode":' || to_json(code)
                || ',"colorName":' as document
            from language
            where id = any(array(select distinct language_id from language_link))
        ),
        color_languages as (
            select
                l.color_id,
                string_agg(d.document || to_json(coalesce(l.color_name, page.name)) || '}', ','
                    order by d.id) as documents
            from language_link l
            join language_document d on d.id = l.language_id
            join page on page.id = l.color_id
            group by l.color_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"name":' || to_json(name)::text || ',"userDefinedId":'
                || coalesce(to_json(user_defined_id)::text, 'null') || ',"userDefinedId2":'
                || coalesce(to_json(user_defined_id2)::text, 'null') || ',"colorReference":'
                || coalesce(to_json(color_reference)::text, 'null') || ',"colorNote":'
                || coalesce(to_json(color_note)::text, 'null') || ',"state":"' || state || '"'
            || ',"colorGroups":[' || coalesce(g.documents, '')
            || '],"languageNames":[' || coalesce(l.documents, '')
            || '],"properties":[]}' as document
        from page
        left join color_groups g on g.color_id = page.id
        left join color_languages l on l.color_id = page.id
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

-- colors.list_example: Example: name contains $2, sorted by it, descending.
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
            select c.* from color c where c.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.name desc, record.id) as page_order,
            case row_number() over (order by record.name desc, record.id)
                when 30 then json_build_array(record.name, record.id)::text end as sort_values
            from (
                select * from record
                    where strpos(lower(record.name collate "default"), lower($2::text collate "default")) > 0
                    and record.state <> 'deleted'
                order by record.name desc, record.id limit 30 + 1 offset 0
            ) as record
        ),
        group_link as materialized (
            select color_id, color_group_id
            from color_in_group
            where organization_id = $1::bigint and color_id = any(array(select id from page))
        ),
        group_document as materialized (
            select
                id,
                '{"id":' || id
                || ',"name":' || to_json(name)
                || coalesce(',"userDefinedId":' || to_json(user_defined_id), '')
                || ',"state":"' || state || '"}' as document
            from color_group
            where organization_id = $1::bigint
                and id = any(array(select distinct color_group_id from group_link))
        ),
        color_groups as (
            select l.color_id, string_agg(g.document, ',' order by g.id) as documents
            from group_link l
            join group_document g on g.id = l.color_group_id
            group by l.color_id
        ),
        language_link as materialized (
            select color_id, language_id, color_name
            from color_language
            where organization_id = $1::bigint and color_id = any(array(select id from page))
        ),
        language_document as materialized (
            select
                id,
                '{"languageId":' || id
                || ',"languageName":' || to_json(name)
                || ',"languageCode":' || to_json(code)
                || ',"colorName":' as document
            from language
            where id = any(array(select distinct language_id from language_link))
        ),
        color_languages as (
            select
                l.color_id,
                string_agg(d.document || to_json(coalesce(l.color_name, page.name)) || '}', ','
                    order by d.id) as documents
            from language_link l
            join language_document d on d.id = l.language_id
            join page on page.id = l.color_id
            group by l.color_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"name":' || to_json(name)::text || ',"userDefinedId":'
                || coalesce(to_json(user_defined_id)::text, 'null') || ',"userDefinedId2":'
                || coalesce(to_json(user_defined_id2)::text, 'null') || ',"colorReference":'
                || coalesce(to_json(color_reference)::text, 'null') || ',"colorNote":'
                || coalesce(to_json(color_note)::text, 'null') || ',"state":"' || state || '"'
            || ',"colorGroups":[' || coalesce(g.documents, '')
            || '],"languageNames":[' || coalesce(l.documents, '')
            || '],"properties":[]}' as document
        from page
        left join color_groups g on g.color_id = page.id
        left join color_languages l on l.color_id = page.id
    ) as page
) as page;
-- Next page, by cursor:
--   -                     and record.state <> 'deleted'
--   +                     and record.state <> 'deleted' and (record.name <= $3::text)
--   +                     and (record.name < $3::text or record.id > $4::bigint)

-- colors.list_by_reference: First page of the records whose colorGroups.id is $2.
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
            select c.* from color c where c.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where -- Condition of a page: records with an entry of color_in_group that matches. The array makes the planner begin with the
                -- entries; with a join it may read all records until it has a page of matches.
                record.id = any(array(
                    select entry.color_id from color_in_group entry
                    where entry.organization_id = $1::bigint and true and entry.color_group_id = $2::bigint
                )) and record.state <> 'deleted'
                order by record.id limit 30 + 1 offset 0
            ) as record
        ),
        group_link as materialized (
            select color_id, color_group_id
            from color_in_group
            where organization_id = $1::bigint and color_id = any(array(select id from page))
        ),
        group_document as materialized (
            select
                id,
                '{"id":' || id
                || ',"name":' || to_json(name)
                || coalesce(',"userDefinedId":' || to_json(user_defined_id), '')
                || ',"state":"' || state || '"}' as document
            from color_group
            where organization_id = $1::bigint
                and id = any(array(select distinct color_group_id from group_link))
        ),
        color_groups as (
            select l.color_id, string_agg(g.document, ',' order by g.id) as documents
            from group_link l
            join group_document g on g.id = l.color_group_id
            group by l.color_id
        ),
        language_link as materialized (
            select color_id, language_id, color_name
            from color_language
            where organization_id = $1::bigint and color_id = any(array(select id from page))
        ),
        language_document as materialized (
            select
                id,
                '{"languageId":' || id
                || ',"languageName":' || to_json(name)
                || ',"languageCode":' || to_json(code)
                || ',"colorName":' as document
            from language
            where id = any(array(select distinct language_id from language_link))
        ),
        color_languages as (
            select
                l.color_id,
                string_agg(d.document || to_json(coalesce(l.color_name, page.name)) || '}', ','
                    order by d.id) as documents
            from language_link l
            join language_document d on d.id = l.language_id
            join page on page.id = l.color_id
            group by l.color_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"name":' || to_json(name)::text || ',"userDefinedId":'
                || coalesce(to_json(user_defined_id)::text, 'null') || ',"userDefinedId2":'
                || coalesce(to_json(user_defined_id2)::text, 'null') || ',"colorReference":'
                || coalesce(to_json(color_reference)::text, 'null') || ',"colorNote":'
                || coalesce(to_json(color_note)::text, 'null') || ',"state":"' || state || '"'
            || ',"colorGroups":[' || coalesce(g.documents, '')
            || '],"languageNames":[' || coalesce(l.documents, '')
            || '],"properties":[]}' as document
        from page
        left join color_groups g on g.color_id = page.id
        left join color_languages l on l.color_id = page.id
    ) as page
) as page;
-- colorGroups.userDefinedId is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of color_in_group that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of color_group.
--   -                     select entry.color_id from color_in_group entry
--   -                     where entry.organization_id = $1::bigint and true and entry.color_group_id = $2::bigint
--   +                     select entry.color_id
--   +                     from color_group target
--   +                     join color_in_group entry on entry.organization_id = $1::bigint
--   +                         and entry.color_group_id = target.id
--   +                     where target.organization_id = $1::bigint and target.user_defined_id = $2::text
-- languageNames.languageId is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of color_in_group that matches. The array makes the planner begin with the
--   +                 select * from record where -- Condition of a page: records with an entry of color_language that matches. The array makes the planner begin with the
--   -                     select entry.color_id from color_in_group entry
--   -                     where entry.organization_id = $1::bigint and true and entry.color_group_id = $2::bigint
--   +                     select entry.color_id from color_language entry
--   +                     where entry.organization_id = $1::bigint and true and entry.language_id = $2::bigint
-- languageNames.languageCode is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of color_in_group that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- The same for languages, which belong to no organization.
--   -                     select entry.color_id from color_in_group entry
--   -                     where entry.organization_id = $1::bigint and true and entry.color_group_id = $2::bigint
--   +                     select entry.color_id
--   +                     from language target
--   +                     join color_language entry on entry.organization_id = $1::bigint
--   +                         and entry.language_id = target.id
--   +                     where target.code = $2::text

-- colors.list_changed: First page of the records that transactions after a number have changed.
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
            select c.* from color c where c.organization_id = $1::bigint
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
                    cross join lateral jsonb_each(change.records -> 'colors') as operation(name, ids)
                    cross join lateral jsonb_array_elements_text(operation.ids) as changed(record_id)
                    -- Part of changed_records: records that show changed ones of one kind.
                    union all
                    select shown.id from (
                        select color_id as id from color_in_group
                        where organization_id = $1::bigint and color_group_id = any(
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
                                    change.causes -> 'color-groups'
                                ) as changed(record_id)
                    ))) as shown
                )
                order by record.id limit 30 + 1 offset 0
            ) as record
        ),
        group_link as materialized (
            select color_id, color_group_id
            from color_in_group
            where organization_id = $1::bigint and color_id = any(array(select id from page))
        ),
        group_document as materialized (
            select
                id,
                '{"id":' || id
                || ',"name":' || to_json(name)
                || coalesce(',"userDefinedId":' || to_json(user_defined_id), '')
                || ',"state":"' || state || '"}' as document
            from color_group
            where organization_id = $1::bigint
                and id = any(array(select distinct color_group_id from group_link))
        ),
        color_groups as (
            select l.color_id, string_agg(g.document, ',' order by g.id) as documents
            from group_link l
            join group_document g on g.id = l.color_group_id
            group by l.color_id
        ),
        language_link as materialized (
            select color_id, language_id, color_name
            from color_language
            where organization_id = $1::bigint and color_id = any(array(select id from page))
        ),
        language_document as materialized (
            select
                id,
                '{"languageId":' || id
                || ',"languageName":' || to_json(name)
                || ',"languageCode":' || to_json(code)
                || ',"colorName":' as document
            from language
            where id = any(array(select distinct language_id from language_link))
        ),
        color_languages as (
            select
                l.color_id,
                string_agg(d.document || to_json(coalesce(l.color_name, page.name)) || '}', ','
                    order by d.id) as documents
            from language_link l
            join language_document d on d.id = l.language_id
            join page on page.id = l.color_id
            group by l.color_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"name":' || to_json(name)::text || ',"userDefinedId":'
                || coalesce(to_json(user_defined_id)::text, 'null') || ',"userDefinedId2":'
                || coalesce(to_json(user_defined_id2)::text, 'null') || ',"colorReference":'
                || coalesce(to_json(color_reference)::text, 'null') || ',"colorNote":'
                || coalesce(to_json(color_note)::text, 'null') || ',"state":"' || state || '"'
            || ',"colorGroups":[' || coalesce(g.documents, '')
            || '],"languageNames":[' || coalesce(l.documents, '')
            || '],"properties":[]}' as document
        from page
        left join color_groups g on g.color_id = page.id
        left join color_languages l on l.color_id = page.id
    ) as page
) as page;

-- colors.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
with record as (
    select c.* from color c where c.organization_id = $1::bigint
),
page as materialized (
    select record.id from record where record.state <> 'deleted'
)
select count(*) as total from page;
-- Count of the example:
--   -     select record.id from record where record.state <> 'deleted'
--   +     select record.id from record
--   +         where strpos(lower(record.name collate "default"), lower($2::text collate "default")) > 0
--   +         and record.state <> 'deleted'

-- colors.id_by_key: Find the record that a path names by its own key, userDefinedId.
--   $1::bigint organization_id
--   $2::text key
-- Live records with an own key: more than one, if it is ambiguous.
select id from color
where organization_id = $1::bigint and user_defined_id = $2::text and state <> 'deleted'
order by id
limit 5;

-- colors.read: Read a document.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select c.* from color c where c.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    group_link as materialized (
        select color_id, color_group_id
        from color_in_group
        where organization_id = $1::bigint and color_id = any(array(select id from page))
    ),
    group_document as materialized (
        select
            id,
            '{"id":' || id
            || ',"name":' || to_json(name)
            || coalesce(',"userDefinedId":' || to_json(user_defined_id), '')
            || ',"state":"' || state || '"}' as document
        from color_group
        where organization_id = $1::bigint and id = any(array(select distinct color_group_id from group_link))
    ),
    color_groups as (
        select l.color_id, string_agg(g.document, ',' order by g.id) as documents
        from group_link l
        join group_document g on g.id = l.color_group_id
        group by l.color_id
    ),
    language_link as materialized (
        select color_id, language_id, color_name
        from color_language
        where organization_id = $1::bigint and color_id = any(array(select id from page))
    ),
    language_document as materialized (
        select
            id,
            '{"languageId":' || id
            || ',"languageName":' || to_json(name)
            || ',"languageCode":' || to_json(code)
            || ',"colorName":' as document
        from language
        where id = any(array(select distinct language_id from language_link))
    ),
    color_languages as (
        select
            l.color_id,
            string_agg(d.document || to_json(coalesce(l.color_name, page.name)) || '}', ','
                order by d.id) as documents
        from language_link l
        join language_document d on d.id = l.language_id
        join page on page.id = l.color_id
        group by l.color_id
    )
    select
        page_order,
        sort_values,
        '{"id":' || id::text || ',"name":' || to_json(name)::text || ',"userDefinedId":'
            || coalesce(to_json(user_defined_id)::text, 'null') || ',"userDefinedId2":'
            || coalesce(to_json(user_defined_id2)::text, 'null') || ',"colorReference":'
            || coalesce(to_json(color_reference)::text, 'null') || ',"colorNote":'
            || coalesce(to_json(color_note)::text, 'null') || ',"state":"' || state || '"'
        || ',"colorGroups":[' || coalesce(g.documents, '')
        || '],"languageNames":[' || coalesce(l.documents, '')
        || '],"properties":[]}' as document
    from page
    left join color_groups g on g.color_id = page.id
    left join color_languages l on l.color_id = page.id
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

-- colors.read_writable: Read a writable form.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select c.* from color c where c.organization_id = $1::bigint
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
        '{"name":' || to_json(name)::text || ',"userDefinedId":'
            || coalesce(to_json(user_defined_id)::text, 'null') || ',"userDefinedId2":'
            || coalesce(to_json(user_defined_id2)::text, 'null') || ',"colorReference":'
            || coalesce(to_json(color_reference)::text, 'null') || ',"colorNote":'
            || coalesce(to_json(color_note)::text, 'null') || ',"state":"' || state || '"'
        || ',"colorGroupIds":' || to_json(array(
            select g.color_group_id from color_in_group g
            where g.organization_id = $1::bigint and g.color_id = page.id order by 1
        ))
        || ',"languageIds":' || to_json(array(
            select l.language_id from color_language l
            where l.organization_id = $1::bigint and l.color_id = page.id and feature.multiple_language
                order by 1
        ))
        || '}' as document
    from page
    cross join feature
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- colors.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, state as state, user_defined_id as key, null::bigint as within_id from color
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- colors.lock_by_key: Lock the records of a write that names them by own key, userDefinedId.
--   $1::bigint organization_id
--   $2::text[] keys
select id, state as state, user_defined_id as key, null::bigint as within_id from color
where organization_id = $1::bigint and id = any(array(
    select one.id from color one where one.organization_id = $1::bigint
        and one.user_defined_id = any($2::text[])
))
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- colors.unknown_references: Lock the color groups; report unknown groups and languages.
--   $1::bigint organization_id
--   $2::bigint[] color_group_ids
--   $3::bigint[] language_ids
-- Lock the groups until the end of the transaction.
with color_groups as materialized (
    select id, state <> 'deleted' as is_live
    from color_group
    where organization_id = $1::bigint and id = any($2::bigint[])
    order by id
    for key share
)
select 'colorGroupIds' as field, wanted.id, g.id is not null as is_deleted
from unnest($2::bigint[]) as wanted(id)
left join color_groups g on g.id = wanted.id
where g.is_live is not true
union all
select 'languageIds', wanted.id, false
from unnest($3::bigint[]) as wanted(id)
where not exists (select 1 from language l where l.id = wanted.id);

-- colors.stored_links: Read the stored links.
--   $1::bigint organization_id
--   $2::text ids
select 'color_in_group' as link, array_agg(color_id) as owner_ids, array_agg(color_group_id) as linked_ids
from color_in_group
where organization_id = $1::bigint and color_id = any((select $2::text::bigint[])::bigint[])
union all
select 'color_language' as link, array_agg(color_id) as owner_ids, array_agg(language_id) as linked_ids
from color_language
where organization_id = $1::bigint and color_id = any((select $2::text::bigint[])::bigint[]);
-- Without the feature:
--   - union all
--   - select 'color_language' as link, array_agg(color_id) as owner_ids, array_agg(language_id) as linked_ids
--   - from color_language
--   - where organization_id = $1::bigint and color_id = any((select $2::text::bigint[])::bigint[])

-- colors.remove_color_in_group: Delete links.
--   $1::bigint organization_id
--   $2::jsonb pairs
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    with gone as materialized (
        select (pair ->> 0)::bigint as owner_id, (pair ->> 1)::bigint as linked_id
        from jsonb_array_elements($2::jsonb) as sent(pair)
    )
    delete from color_in_group as stored
    using gone
    -- The array makes the planner begin with the owners; with a join alone it may read all links of the organization.
    where stored.organization_id = $1::bigint and stored.color_id = any(array(select owner_id from gone))
        and stored.color_id = gone.owner_id and stored.color_group_id = gone.linked_id
    returning stored.color_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- colors.add_color_in_group: Insert links.
--   $1::bigint organization_id
--   $2::jsonb pairs
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into color_in_group as stored (organization_id, color_id, color_group_id)
    select o.id, (sent.pair ->> 0)::bigint, (sent.pair ->> 1)::bigint
    from organization o
    cross join jsonb_array_elements($2::jsonb) as sent(pair)
    where o.id = $1::bigint
    returning stored.color_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- colors.remove_color_language: Delete links.
--   $1::bigint organization_id
--   $2::jsonb pairs
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    with gone as materialized (
        select (pair ->> 0)::bigint as owner_id, (pair ->> 1)::bigint as linked_id
        from jsonb_array_elements($2::jsonb) as sent(pair)
    )
    delete from color_language as stored
    using gone
    -- The array makes the planner begin with the owners; with a join alone it may read all links of the organization.
    where stored.organization_id = $1::bigint and stored.color_id = any(array(select owner_id from gone))
        and stored.color_id = gone.owner_id and stored.language_id = gone.linked_id
    returning stored.color_id as id, color_id as "color-translations"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- colors.add_color_language: Insert links.
--   $1::bigint organization_id
--   $2::jsonb pairs
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into color_language as stored (organization_id, color_id, language_id)
    select o.id, (sent.pair ->> 0)::bigint, (sent.pair ->> 1)::bigint
    from organization o
    cross join jsonb_array_elements($2::jsonb) as sent(pair)
    where o.id = $1::bigint
    returning stored.color_id as id, color_id as "color-translations"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- colors.with_color-translations: Find deleted and restored records with color-translations, for the change feed.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Record changes of the parts of deleted and restored records, if they are not empty.
    select record.id as "color-translations" from color record
    where record.organization_id = $1::bigint and record.id = any((select $2::text::bigint[])::bigint[])
        and exists (
            select 1 from color_language part
            where part.organization_id = $1::bigint and part.color_id = record.id
    )
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- colors.delete: Mark records as deleted.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update color set state = 'deleted'
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
    returning id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- colors.update: Update the records that differ from their items.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update color as stored
    set name = item."name", user_defined_id = item."userDefinedId", user_defined_id2 = item."userDefinedId2",
        color_reference = item."colorReference", color_note = item."colorNote", state = item."state"
    from jsonb_to_recordset($2::jsonb) as item(id bigint, "name" text, "userDefinedId" text,
        "userDefinedId2" text, "colorReference" text, "colorNote" text, "state" text)
    where stored.organization_id = $1::bigint and stored.id = item.id
        and row(stored.name, stored.user_defined_id, stored.user_defined_id2, stored.color_reference,
            stored.color_note, stored.state) is distinct
            from row(item."name", item."userDefinedId", item."userDefinedId2", item."colorReference",
                item."colorNote", item."state")
    returning stored.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- colors.insert: Insert new records.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into color as stored (organization_id, id, name, user_defined_id, user_defined_id2,
        color_reference, color_note, state)
    select o.id, item.id, item."name", item."userDefinedId", item."userDefinedId2", item."colorReference",
        item."colorNote", coalesce(item."state", 'active')
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as item(id bigint, "name" text, "userDefinedId" text,
        "userDefinedId2" text, "colorReference" text, "colorNote" text, "state" text)
    where o.id = $1::bigint
    returning stored.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- colors.key_holders: Find the live records with own keys, for organizations whose own keys are unique.
--   $1::bigint organization_id
--   $2::text[] keys
-- Live records that have the own keys $2, where these are unique; with a parent, within records with the ids $3.
select id, user_defined_id as key, null::bigint as within_id
from color
where organization_id = $1::bigint and user_defined_id = any($2::text[]) and state <> 'deleted';

-- colors.shared_keys: Find own keys that several live records share, before they are made unique.
--   $1::bigint organization_id
--   $2::integer count
-- Own keys that several live records have, with the ids of some of these.
select user_defined_id as key, (array_agg(id order by id))[1:10] as ids
from color
where organization_id = $1::bigint and user_defined_id is not null and state <> 'deleted'
group by user_defined_id, null::bigint
having count(*) > 1
order by user_defined_id, null::bigint
limit $2::integer;

-- size-ranges: SQL statements as they are sent; only line breaks and indents differ.

-- size-ranges.list: First page of all records, in the default order.
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
                r.organization_id,
                r.id,
                r.name,
                r.user_defined_id,
                r.state,
                r.is_advanced_grading and o.pro as is_advanced_grading,
                r.is_default,
                r.default_grading_size_id,
                s.name as default_grading_size_name
            from size_range r
            join organization o on o.id = $1::bigint
            left join size_range_size s on s.organization_id = $1::bigint and s.id = r.default_grading_size_id
            where r.organization_id = $1::bigint
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
        sizes as materialized (
            select
                size_range_id,
                string_agg(
                    '{"id":' || id
                    || ',"name":' || to_json(name)
                    || coalesce(',"sizeId":' || to_json(size_id), '')
                    || coalesce(',"relatedSizeRangeSizeId":' || related_size_range_size_id, '')
                    || coalesce(',"gradingGroupId":' || grading_group_id, '') || '}',
                    ',' order by id
                ) as documents
            from size_range_size
            where organization_id = $1::bigint and size_range_id = any(array(select id from page))
                and not is_deactivated
            group by size_range_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"name":' || to_json(name)::text || ',"state":"' || state
                || '","userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null')
                || ',"isAdvancedGrading":' || is_advanced_grading::text || ',"isDefault":' || is_default::text
                || coalesce(',"defaultGradingSizeId":' || default_grading_size_id::text, '')
                || coalesce(',"defaultGradingSizeName":' || to_json(default_grading_size_name)::text, '')
            || ',"sizes":[' || coalesce(sizes.documents, '') || '],"properties":[]}' as document
        from page
        left join sizes on sizes.size_range_id = page.id
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

-- size-ranges.list_example: Example: name contains $2, sorted by it, descending.
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
                r.organization_id,
                r.id,
                r.name,
                r.user_defined_id,
                r.state,
                r.is_advanced_grading and o.pro as is_advanced_grading,
                r.is_default,
                r.default_grading_size_id,
                s.name as default_grading_size_name
            from size_range r
            join organization o on o.id = $1::bigint
            left join size_range_size s on s.organization_id = $1::bigint and s.id = r.default_grading_size_id
            where r.organization_id = $1::bigint
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
        sizes as materialized (
            select
                size_range_id,
                string_agg(
                    '{"id":' || id
                    || ',"name":' || to_json(name)
                    || coalesce(',"sizeId":' || to_json(size_id), '')
                    || coalesce(',"relatedSizeRangeSizeId":' || related_size_range_size_id, '')
                    || coalesce(',"gradingGroupId":' || grading_group_id, '') || '}',
                    ',' order by id
                ) as documents
            from size_range_size
            where organization_id = $1::bigint and size_range_id = any(array(select id from page))
                and not is_deactivated
            group by size_range_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"name":' || to_json(name)::text || ',"state":"' || state
                || '","userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null')
                || ',"isAdvancedGrading":' || is_advanced_grading::text || ',"isDefault":' || is_default::text
                || coalesce(',"defaultGradingSizeId":' || default_grading_size_id::text, '')
                || coalesce(',"defaultGradingSizeName":' || to_json(default_grading_size_name)::text, '')
            || ',"sizes":[' || coalesce(sizes.documents, '') || '],"properties":[]}' as document
        from page
        left join sizes on sizes.size_range_id = page.id
    ) as page
) as page;
-- Next page, by cursor:
--   -                     and record.state <> 'deleted'
--   +                     and record.state <> 'deleted' and (record.name <= $3::text)
--   +                     and (record.name < $3::text or record.id > $4::bigint)

-- size-ranges.list_by_reference: First page of the records whose sizes.id is $2.
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
                r.organization_id,
                r.id,
                r.name,
                r.user_defined_id,
                r.state,
                r.is_advanced_grading and o.pro as is_advanced_grading,
                r.is_default,
                r.default_grading_size_id,
                s.name as default_grading_size_name
            from size_range r
            join organization o on o.id = $1::bigint
            left join size_range_size s on s.organization_id = $1::bigint and s.id = r.default_grading_size_id
            where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where -- Condition of a page: records with an entry of size_range_size that matches. The array makes the planner begin with the
                -- entries; with a join it may read all records until it has a page of matches.
                record.id = any(array(
                    select entry.size_range_id from size_range_size entry
                    where entry.organization_id = $1::bigint and not entry.is_deactivated
                        and entry.id = $2::bigint
                )) and record.state <> 'deleted'
                order by record.id limit 30 + 1 offset 0
            ) as record
        ),
        sizes as materialized (
            select
                size_range_id,
                string_agg(
                    '{"id":' || id
                    || ',"name":' || to_json(name)
                    || coalesce(',"sizeId":' || to_json(size_id), '')
                    || coalesce(',"relatedSizeRangeSizeId":' || related_size_range_size_id, '')
                    || coalesce(',"gradingGroupId":' || grading_group_id, '') || '}',
                    ',' order by id
                ) as documents
            from size_range_size
            where organization_id = $1::bigint and size_range_id = any(array(select id from page))
                and not is_deactivated
            group by size_range_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"name":' || to_json(name)::text || ',"state":"' || state
                || '","userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null')
                || ',"isAdvancedGrading":' || is_advanced_grading::text || ',"isDefault":' || is_default::text
                || coalesce(',"defaultGradingSizeId":' || default_grading_size_id::text, '')
                || coalesce(',"defaultGradingSizeName":' || to_json(default_grading_size_name)::text, '')
            || ',"sizes":[' || coalesce(sizes.documents, '') || '],"properties":[]}' as document
        from page
        left join sizes on sizes.size_range_id = page.id
    ) as page
) as page;
-- sizes.relatedSizeRangeSizeId is $2:
--   -                         and entry.id = $2::bigint
--   +                         and entry.related_size_range_size_id = $2::bigint
-- sizes.name is $2:
--   -                         and entry.id = $2::bigint
--   +                         and entry.name = $2::text
-- sizes.sizeId is $2:
--   -                         and entry.id = $2::bigint
--   +                         and entry.size_id = $2::text

-- size-ranges.list_changed: First page of the records that transactions after a number have changed.
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
                r.organization_id,
                r.id,
                r.name,
                r.user_defined_id,
                r.state,
                r.is_advanced_grading and o.pro as is_advanced_grading,
                r.is_default,
                r.default_grading_size_id,
                s.name as default_grading_size_name
            from size_range r
            join organization o on o.id = $1::bigint
            left join size_range_size s on s.organization_id = $1::bigint and s.id = r.default_grading_size_id
            where r.organization_id = $1::bigint
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
                    cross join lateral jsonb_each(change.records -> 'size-ranges') as operation(name, ids)
                    cross join lateral jsonb_array_elements_text(operation.ids) as changed(record_id)
                    -- Part of changed_records: records that show changed ones of one kind.
                    union all
                    select shown.id from (
                        select id from size_range
                        where organization_id = $1::bigint and organization_id = any(
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
                                    change.causes -> 'settings'
                                ) as changed(record_id)
                        )) and is_advanced_grading
                    ) as shown
                )
                order by record.id limit 30 + 1 offset 0
            ) as record
        ),
        sizes as materialized (
            select
                size_range_id,
                string_agg(
                    '{"id":' || id
                    || ',"name":' || to_json(name)
                    || coalesce(',"sizeId":' || to_json(size_id), '')
                    || coalesce(',"relatedSizeRangeSizeId":' || related_size_range_size_id, '')
                    || coalesce(',"gradingGroupId":' || grading_group_id, '') || '}',
                    ',' order by id
                ) as documents
            from size_range_size
            where organization_id = $1::bigint and size_range_id = any(array(select id from page))
                and not is_deactivated
            group by size_range_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"name":' || to_json(name)::text || ',"state":"' || state
                || '","userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null')
                || ',"isAdvancedGrading":' || is_advanced_grading::text || ',"isDefault":' || is_default::text
                || coalesce(',"defaultGradingSizeId":' || default_grading_size_id::text, '')
                || coalesce(',"defaultGradingSizeName":' || to_json(default_grading_size_name)::text, '')
            || ',"sizes":[' || coalesce(sizes.documents, '') || '],"properties":[]}' as document
        from page
        left join sizes on sizes.size_range_id = page.id
    ) as page
) as page;

-- size-ranges.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
with record as (
    select
        r.organization_id,
        r.id,
        r.name,
        r.user_defined_id,
        r.state,
        r.is_advanced_grading and o.pro as is_advanced_grading,
        r.is_default,
        r.default_grading_size_id,
        s.name as default_grading_size_name
    from size_range r
    join organization o on o.id = $1::bigint
    left join size_range_size s on s.organization_id = $1::bigint and s.id = r.default_grading_size_id
    where r.organization_id = $1::bigint
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

-- size-ranges.id_by_key: Find the record that a path names by its own key, userDefinedId.
--   $1::bigint organization_id
--   $2::text key
-- Live records with an own key: more than one, if it is ambiguous.
select id from size_range
where organization_id = $1::bigint and user_defined_id = $2::text and state <> 'deleted'
order by id
limit 5;

-- size-ranges.read: Read a document.
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
            r.organization_id,
            r.id,
            r.name,
            r.user_defined_id,
            r.state,
            r.is_advanced_grading and o.pro as is_advanced_grading,
            r.is_default,
            r.default_grading_size_id,
            s.name as default_grading_size_name
        from size_range r
        join organization o on o.id = $1::bigint
        left join size_range_size s on s.organization_id = $1::bigint and s.id = r.default_grading_size_id
        where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    sizes as materialized (
        select
            size_range_id,
            string_agg(
                '{"id":' || id
                || ',"name":' || to_json(name)
                || coalesce(',"sizeId":' || to_json(size_id), '')
                || coalesce(',"relatedSizeRangeSizeId":' || related_size_range_size_id, '')
                || coalesce(',"gradingGroupId":' || grading_group_id, '') || '}',
                ',' order by id
            ) as documents
        from size_range_size
        where organization_id = $1::bigint and size_range_id = any(array(select id from page))
            and not is_deactivated
        group by size_range_id
    )
    select
        page_order,
        sort_values,
        '{"id":' || id::text || ',"name":' || to_json(name)::text || ',"state":"' || state
            || '","userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null')
            || ',"isAdvancedGrading":' || is_advanced_grading::text || ',"isDefault":' || is_default::text
            || coalesce(',"defaultGradingSizeId":' || default_grading_size_id::text, '')
            || coalesce(',"defaultGradingSizeName":' || to_json(default_grading_size_name)::text, '')
        || ',"sizes":[' || coalesce(sizes.documents, '') || '],"properties":[]}' as document
    from page
    left join sizes on sizes.size_range_id = page.id
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

-- size-ranges.read_writable: Read a writable form.
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
            r.id,
            r.name,
            r.user_defined_id,
            r.state,
            r.is_advanced_grading and o.pro as is_advanced_grading,
            r.is_default
        from size_range r
        join organization o on o.id = $1::bigint
        where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '{"name":' || to_json(name)::text || ',"state":"' || state
        || '","userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null') || ',"isAdvancedGrading":'
        || is_advanced_grading::text || ',"isDefault":' || is_default::text || '}' as document
    from page
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- size-ranges.foreign: Find ids that other organizations own.
--   $1::bigint[] ids
select id from size_range where id = any($1::bigint[]);

-- size-ranges.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, state as state, user_defined_id as key, null::bigint as within_id from size_range
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- size-ranges.lock_by_key: Lock the records of a write that names them by own key, userDefinedId.
--   $1::bigint organization_id
--   $2::text[] keys
select id, state as state, user_defined_id as key, null::bigint as within_id from size_range
where organization_id = $1::bigint and id = any(array(
    select one.id from size_range one where one.organization_id = $1::bigint
        and one.user_defined_id = any($2::text[])
))
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- size-ranges.check: Report the errors that only stored data show.
--   $1::bigint organization_id
--   $2::jsonb items
-- A size range can be restored only if the sizes that its sizes relate to are live, or restored with it.
with item as materialized (
    select item.*
    from rows
        from (jsonb_to_recordset($2::jsonb) as (id bigint, state text)) with ordinality as item(id, state, n)
)
select
    item.n::integer as item,
    'validation_error.unknown_reference' as type,
    '["state"]' as path,
    'A size relates to a size of a deleted size range.' as message
from item
join size_range stored on stored.organization_id = $1::bigint and stored.id = item.id
where stored.state = 'deleted' and item.state <> 'deleted'
    and exists (
        select 1
        from size_range_size size
        join size_range_size related
            on related.organization_id = $1::bigint and related.id = size.related_size_range_size_id
        join size_range target on target.organization_id = $1::bigint and target.id = related.size_range_id
        where size.organization_id = $1::bigint and size.size_range_id = item.id and target.state = 'deleted'
            and not exists (select 1 from item restored where restored.id = target.id
                and restored.state <> 'deleted')
    );

-- size-ranges.in_use: Report the records to delete that other records need.
--   $1::bigint organization_id
--   $2::text ids
--   $3::bigint[] restored_ids
--   $4::boolean has_successor
-- Uses of the size ranges to delete. $3 are the restored ones; $4 is true if the default has a successor.
-- The offsets make the planner look up uses by size. Without them, a plan may read all requested sizes of an organization
-- for each size.
with gone as materialized (
    select size.size_range_id as id, size.id as size_id
    from size_range_size size
    where size.organization_id = $1::bigint
        and size.size_range_id = any((select $2::text::bigint[])::bigint[])
),
used as (
    select id, 'the organization as its default' as users, null::bigint as user_id, null::text as key
    from size_range
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
        and is_default and not $4::boolean
    union all
    select gone.id, 'sample requests', request.id, request.name
    from gone
    cross join lateral (
        select requested.sample_request_id from sample_request_size requested
        where requested.organization_id = $1::bigint and requested.size_range_size_id = gone.size_id
        offset 0
    ) requested
    join sample_request request
        on request.organization_id = $1::bigint and request.id = requested.sample_request_id
    union
    select gone.id, 'measurement charts', style.id, style.number
    from gone
    join measurement_line_value charted
        on charted.organization_id = $1::bigint and charted.size_range_size_id = gone.size_id
    cross join lateral (
        select line.style_id from measurement_line line
        where line.organization_id = $1::bigint and line.id = charted.measurement_line_id
        offset 0
    ) line
    join style on style.organization_id = $1::bigint and style.id = line.style_id and style.state <> 'deleted'
    union
    select gone.id, 'size ranges', owner.id, owner.user_defined_id
    from gone
    join size_range_size other
        on other.organization_id = $1::bigint and other.related_size_range_size_id = gone.size_id
    join size_range owner on owner.organization_id = $1::bigint and owner.id = other.size_range_id
    where (owner.state <> 'deleted' or owner.id = any($3::bigint[]))
        and owner.id <> all((select $2::text::bigint[])::bigint[])
)
select
    id,
    users,
    count(*) as uses,
    coalesce(
        (array_agg(json_build_array(user_id, key)::text
            order by user_id) filter (where user_id is not null))[1:10],
            '{}'
    ) as first
from used
group by id, users
order by id, users;

-- size-ranges.reliances: Read which items depend on which, to fail those that depend on failed items.
--   $1::bigint organization_id
--   $2::bigint[] ids
-- Pairs of the size ranges $2 in which a size of the first relates to a size of the second.
select distinct size.size_range_id as id, related.size_range_id as related_id
from size_range_size size
join size_range_size related
    on related.organization_id = $1::bigint and related.id = size.related_size_range_size_id
where size.organization_id = $1::bigint and size.size_range_id = any($2::bigint[])
    and related.size_range_id = any($2::bigint[]) and related.size_range_id <> size.size_range_id;

-- size-ranges.with_size-range-sizes: Find deleted and restored records with size-range-sizes, for the change feed.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Record changes of the parts of deleted and restored records, if they are not empty.
    select record.id as "size-range-sizes" from size_range record
    where record.organization_id = $1::bigint and record.id = any((select $2::text::bigint[])::bigint[])
        and exists (
            select 1 from size_range_size part
            where part.organization_id = $1::bigint and part.size_range_id = record.id
    )
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- size-ranges.delete: Mark records as deleted.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update size_range set state = 'deleted'
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
    returning id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- size-ranges.demote: Clear the default if an item becomes it.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update size_range set is_default = false
    from jsonb_to_recordset($2::jsonb) as item(id bigint, "isDefault" boolean)
    where size_range.organization_id = $1::bigint and size_range.is_default
        and item."isDefault" and item.id <> size_range.id
    returning size_range.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- size-ranges.update: Update the records that differ from their items.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    with wanted as materialized (
        select
            item.id,
            item.name,
            item."userDefinedId" as user_defined_id,
            item.state,
            coalesce(item."isAdvancedGrading" and o.pro, false) as is_advanced_grading,
            item."isDefault" as is_default
        from jsonb_to_recordset($2::jsonb) as item(
            id bigint, name text, "userDefinedId" text, state text, "isAdvancedGrading" boolean,
                "isDefault" boolean
        )
        join organization o on o.id = $1::bigint
    )
    update size_range
    set
        name = wanted.name,
        user_defined_id = wanted.user_defined_id,
        state = wanted.state,
        is_advanced_grading = wanted.is_advanced_grading,
        is_default = coalesce(wanted.is_default, size_range.is_default)
    from wanted
    where size_range.organization_id = $1::bigint and size_range.id = wanted.id
        and (
            size_range.name, size_range.user_defined_id, size_range.state, size_range.is_advanced_grading,
            size_range.is_default
        ) is distinct from (
            wanted.name, wanted.user_defined_id, wanted.state, wanted.is_advanced_grading,
            coalesce(wanted.is_default, size_range.is_default)
        )
    returning size_range.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- size-ranges.insert: Insert new records.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into size_range as stored (
        organization_id, id, name, user_defined_id, state, is_advanced_grading, is_default
    )
    select
        o.id,
        item.id,
        item.name,
        item."userDefinedId",
        coalesce(item.state, 'active'),
        coalesce(item."isAdvancedGrading" and o.pro, false),
        coalesce(item."isDefault", false)
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as item(
        id bigint, name text, "userDefinedId" text, state text, "isAdvancedGrading" boolean,
            "isDefault" boolean
    )
    where o.id = $1::bigint
    returning stored.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- size-ranges.key_holders: Find the live records with own keys, for organizations whose own keys are unique.
--   $1::bigint organization_id
--   $2::text[] keys
-- Live records that have the own keys $2, where these are unique; with a parent, within records with the ids $3.
select id, user_defined_id as key, null::bigint as within_id
from size_range
where organization_id = $1::bigint and user_defined_id = any($2::text[]) and state <> 'deleted';

-- size-ranges.shared_keys: Find own keys that several live records share, before they are made unique.
--   $1::bigint organization_id
--   $2::integer count
-- Own keys that several live records have, with the ids of some of these.
select user_defined_id as key, (array_agg(id order by id))[1:10] as ids
from size_range
where organization_id = $1::bigint and user_defined_id is not null and state <> 'deleted'
group by user_defined_id, null::bigint
having count(*) > 1
order by user_defined_id, null::bigint
limit $2::integer;

-- color-groups: SQL statements as they are sent; only line breaks and indents differ.

-- color-groups.list: First page of all records, in the default order.
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
            select r.* from color_group r where r.organization_id = $1::bigint
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
        select page_order, sort_values, '{"id":' || id::text || ',"name":' || to_json(name)::text
            || coalesce(',"userDefinedId":' || to_json(user_defined_id)::text, '') || ',"state":"' || state
            || '"}' as document
        from page
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

-- color-groups.list_example: Example: name contains $2, sorted by it, descending.
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
            select r.* from color_group r where r.organization_id = $1::bigint
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
        )
        select page_order, sort_values, '{"id":' || id::text || ',"name":' || to_json(name)::text
            || coalesce(',"userDefinedId":' || to_json(user_defined_id)::text, '') || ',"state":"' || state
            || '"}' as document
        from page
    ) as page
) as page;
-- Next page, by cursor:
--   -                     and record.state <> 'deleted'
--   +                     and record.state <> 'deleted' and (record.name <= $3::text)
--   +                     and (record.name < $3::text or record.id > $4::bigint)

-- color-groups.list_changed: First page of the records that transactions after a number have changed.
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
            select r.* from color_group r where r.organization_id = $1::bigint
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
                    cross join lateral jsonb_each(change.records -> 'color-groups') as operation(name, ids)
                    cross join lateral jsonb_array_elements_text(operation.ids) as changed(record_id)
                )
                order by record.id limit 30 + 1 offset 0
            ) as record
        )
        select page_order, sort_values, '{"id":' || id::text || ',"name":' || to_json(name)::text
            || coalesce(',"userDefinedId":' || to_json(user_defined_id)::text, '') || ',"state":"' || state
            || '"}' as document
        from page
    ) as page
) as page;

-- color-groups.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
-- Documents or writables.
with record as (
    select r.* from color_group r where r.organization_id = $1::bigint
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

-- color-groups.id_by_key: Find the record that a path names by its own key, userDefinedId.
--   $1::bigint organization_id
--   $2::text key
-- Live records with an own key: more than one, if it is ambiguous.
select id from color_group
where organization_id = $1::bigint and user_defined_id = $2::text and state <> 'deleted'
order by id
limit 5;

-- color-groups.read: Read a document.
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
        select r.* from color_group r where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '{"id":' || id::text || ',"name":' || to_json(name)::text
        || coalesce(',"userDefinedId":' || to_json(user_defined_id)::text, '') || ',"state":"' || state
        || '"}' as document
    from page
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

-- color-groups.read_writable: Read a writable form.
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
        select r.* from color_group r where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '{"name":' || to_json(name)::text || ',"userDefinedId":'
        || coalesce(to_json(user_defined_id)::text, 'null') || ',"state":"' || state || '"}' as document
    from page
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- color-groups.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, state as state, user_defined_id as key, null::bigint as within_id from color_group
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- color-groups.lock_by_key: Lock the records of a write that names them by own key, userDefinedId.
--   $1::bigint organization_id
--   $2::text[] keys
select id, state as state, user_defined_id as key, null::bigint as within_id from color_group
where organization_id = $1::bigint and id = any(array(
    select one.id from color_group one where one.organization_id = $1::bigint
        and one.user_defined_id = any($2::text[])
))
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- color-groups.uses: Count the live records that refer to the records to delete.
--   $1::bigint organization_id
--   $2::text ids
-- Ids that records of color refer to by color_in_group, which may be the same table, with the number of live records, and
-- with the ids and own keys of the first ones.
select
    link.color_group_id as id,
    'colors' as users,
    count(*) filter (where record.state <> 'deleted') as uses,
    array(
        select json_build_array(named.id, named.key)::text
        from (
            select record.id, record.user_defined_id as key
            from color_in_group other
            join color record on record.organization_id = $1::bigint and record.id = other.color_id
            where other.organization_id = $1::bigint and other.color_group_id = link.color_group_id
                and record.state <> 'deleted'
            offset 0
        ) as named
        order by named.id
        limit 10
    ) as first
from color_in_group link
join color record on record.organization_id = $1::bigint and record.id = link.color_id
where link.organization_id = $1::bigint and link.color_group_id = any((select $2::text::bigint[])::bigint[])
group by link.color_group_id;

-- color-groups.delete: Mark records as deleted.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update color_group set state = 'deleted'
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
    returning id, true as shown
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- color-groups.update: Update the records that differ from their items.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update color_group as stored
    set name = item."name", user_defined_id = item."userDefinedId", state = item."state"
    from jsonb_to_recordset($2::jsonb) as item(id bigint, "name" text, "userDefinedId" text, "state" text)
    join color_group before on before.organization_id = $1::bigint and before.id = item.id
    where stored.organization_id = $1::bigint and stored.id = item.id
        and row(stored.name, stored.user_defined_id, stored.state) is distinct
            from row(item."name", item."userDefinedId", item."state")
    returning stored.id, row(stored.name, stored.user_defined_id, stored.state) is distinct
        from row(before.name, before.user_defined_id, before.state) as shown
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- color-groups.insert: Insert new records.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into color_group as stored (organization_id, id, name, user_defined_id, state)
    select o.id, item.id, item."name", item."userDefinedId", coalesce(item."state", 'active')
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as item(id bigint, "name" text, "userDefinedId" text,
        "state" text)
    where o.id = $1::bigint
    returning stored.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- color-groups.shown_in_colors: Find the colors that show changed records, for the change feed.
--   $1::bigint organization_id
--   $2::bigint[] ids
--   $3::bigint after_id
--   $4::integer limit
--   $5::bigint record_id
-- Ids of records that show the changed ones, after id $3.
select distinct shown.id
from (
    select color_id as id from color_in_group
    where organization_id = $1::bigint and color_group_id = any($2::bigint[])
) as shown
where shown.id > $3::bigint and ($5::bigint is null or shown.id = $5::bigint)
order by shown.id
limit $4::integer;

-- color-groups.key_holders: Find the live records with own keys, for organizations whose own keys are unique.
--   $1::bigint organization_id
--   $2::text[] keys
-- Live records that have the own keys $2, where these are unique; with a parent, within records with the ids $3.
select id, user_defined_id as key, null::bigint as within_id
from color_group
where organization_id = $1::bigint and user_defined_id = any($2::text[]) and state <> 'deleted';

-- color-groups.shared_keys: Find own keys that several live records share, before they are made unique.
--   $1::bigint organization_id
--   $2::integer count
-- Own keys that several live records have, with the ids of some of these.
select user_defined_id as key, (array_agg(id order by id))[1:10] as ids
from color_group
where organization_id = $1::bigint and user_defined_id is not null and state <> 'deleted'
group by user_defined_id, null::bigint
having count(*) > 1
order by user_defined_id, null::bigint
limit $2::integer;

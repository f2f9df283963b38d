-- item-categories: SQL statements as they are sent; only line breaks and indents differ.

-- item-categories.list: First page of all records, in the default order.
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
            select
            c.*,
            (
                select count(*) from item i
                where i.organization_id = $1::bigint and i.item_category_id = c.id and i.state <> 'deleted'
            ) as used_in_items
            from item_category c
            where c.organization_id = $1::bigint
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
            || ',"state":"' || state || '","usedInItems":' || used_in_items::text || ',"beginDate":"'
            || to_char(begin_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
            || coalesce(',"endDate":"'
                || to_char(end_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"', '')
            || ',"properties":[]}' as document
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

-- item-categories.list_example: Example: name contains $2, sorted by it, descending.
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
            select
            c.*,
            (
                select count(*) from item i
                where i.organization_id = $1::bigint and i.item_category_id = c.id and i.state <> 'deleted'
            ) as used_in_items
            from item_category c
            where c.organization_id = $1::bigint
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
            || ',"state":"' || state || '","usedInItems":' || used_in_items::text || ',"beginDate":"'
            || to_char(begin_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
            || coalesce(',"endDate":"'
                || to_char(end_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"', '')
            || ',"properties":[]}' as document
        from page
    ) as page
) as page;
-- Next page, by cursor:
--   -                     and record.state <> 'deleted'
--   +                     and record.state <> 'deleted' and (record.name <= $3::text)
--   +                     and (record.name < $3::text or record.id > $4::bigint)

-- item-categories.list_changed: First page of the records that transactions after a number have changed.
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
            select
            c.*,
            (
                select count(*) from item i
                where i.organization_id = $1::bigint and i.item_category_id = c.id and i.state <> 'deleted'
            ) as used_in_items
            from item_category c
            where c.organization_id = $1::bigint
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
                    cross join lateral jsonb_each(change.records -> 'item-categories') as operation(name, ids)
                    cross join lateral jsonb_array_elements_text(operation.ids) as changed(record_id)
                )
                order by record.id limit 30 + 1 offset 0
            ) as record
        )
        select page_order, sort_values, '{"id":' || id::text || ',"name":' || to_json(name)::text
            || ',"state":"' || state || '","usedInItems":' || used_in_items::text || ',"beginDate":"'
            || to_char(begin_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
            || coalesce(',"endDate":"'
                || to_char(end_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"', '')
            || ',"properties":[]}' as document
        from page
    ) as page
) as page;

-- item-categories.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
-- Documents or writables.
with record as (
    select
    c.*,
    (
        select count(*) from item i
        where i.organization_id = $1::bigint and i.item_category_id = c.id and i.state <> 'deleted'
    ) as used_in_items
    from item_category c
    where c.organization_id = $1::bigint
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

-- item-categories.id_by_key: Find the record that a path names by its own key, name.
--   $1::bigint organization_id
--   $2::text key
-- Live records with an own key: more than one, if it is ambiguous.
select id from item_category
where organization_id = $1::bigint and name = $2::text and state <> 'deleted'
order by id
limit 5;

-- item-categories.read: Read a document.
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
        select
        c.*,
        (
            select count(*) from item i
            where i.organization_id = $1::bigint and i.item_category_id = c.id and i.state <> 'deleted'
        ) as used_in_items
        from item_category c
        where c.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '{"id":' || id::text || ',"name":' || to_json(name)::text || ',"state":"'
        || state || '","usedInItems":' || used_in_items::text || ',"beginDate":"'
        || to_char(begin_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
        || coalesce(',"endDate":"' || to_char(end_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
            || '"', '')
        || ',"properties":[]}' as document
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

-- item-categories.read_writable: Read a writable form.
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
        select r.* from item_category r where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '{"name":' || to_json(name)::text || ',"state":"' || state
        || '"}' as document
    from page
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- item-categories.read_last: Read the last document of a record before its delete.
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
        -- Rows of last documents: what items use is not deleted.
        select c.*, 0 as used_in_items from item_category c where c.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '{"id":' || id::text || ',"name":' || to_json(name)::text || ',"state":"'
        || 'deleted'::text || '","usedInItems":' || used_in_items::text || ',"beginDate":"'
        || to_char(begin_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
        || coalesce(',"endDate":"' || to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
            || '"', '')
        || ',"properties":[]}' as document
    from page
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- item-categories.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, state as state, name as key, null::bigint as within_id from item_category
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- item-categories.lock_by_key: Lock the records of a write that names them by own key, name.
--   $1::bigint organization_id
--   $2::text[] keys
select id, state as state, name as key, null::bigint as within_id from item_category
where organization_id = $1::bigint and id = any(array(
    select one.id from item_category one where one.organization_id = $1::bigint and one.name = any($2::text[])
))
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- item-categories.uses: Count the live records that refer to the records to delete.
--   $1::bigint organization_id
--   $2::text ids
-- Ids that records of item refer to by item, which may be the same table, with the number of live records, and
-- with the ids and own keys of the first ones.
select
    link.item_category_id as id,
    'items' as users,
    count(*) filter (where record.state <> 'deleted') as uses,
    array(
        select json_build_array(named.id, named.key)::text
        from (
            select record.id, record.number as key
            from item other
            join item record on record.organization_id = $1::bigint and record.id = other.id
            where other.organization_id = $1::bigint and other.item_category_id = link.item_category_id
                and record.state <> 'deleted'
            offset 0
        ) as named
        order by named.id
        limit 10
    ) as first
from item link
join item record on record.organization_id = $1::bigint and record.id = link.id
where link.organization_id = $1::bigint and link.item_category_id = any((select $2::text::bigint[])::bigint[])
group by link.item_category_id;

-- item-categories.clear_in_deleted_items: Clear the references of deleted items.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update item set item_category_id = null
    where organization_id = $1::bigint and item_category_id = any((select $2::text::bigint[])::bigint[])
        and state = 'deleted'
    returning id as "items"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- item-categories.purge: Delete records from the database.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    delete from item_category
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
    returning id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- item-categories.update: Update the records that differ from their items.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    with present as materialized (select now() as moment)
    update item_category as stored
    set name = item."name", state = item."state", end_date = case when item.state = 'active' then null
        when item.state = stored.state then stored.end_date else present.moment end
    from jsonb_to_recordset($2::jsonb) as item(id bigint, "name" text, "state" text)
    join item_category before on before.organization_id = $1::bigint and before.id = item.id
    cross join present
    where stored.organization_id = $1::bigint and stored.id = item.id
        and row(stored.name, stored.state) is distinct from row(item."name", item."state")
    returning stored.id, false as shown
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- item-categories.insert: Insert new records.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into item_category as stored (organization_id, id, name, state, end_date)
    select o.id, item.id, item."name", coalesce(item."state", 'active'), case
        when item.state = 'inactive' then now() end
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as item(id bigint, "name" text, "state" text)
    where o.id = $1::bigint
    returning stored.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- item-categories.key_holders: Find the live records with own keys, for organizations whose own keys are unique.
--   $1::bigint organization_id
--   $2::text[] keys
-- Live records that have the own keys $2, where these are unique; with a parent, within records with the ids $3.
select id, name as key, null::bigint as within_id
from item_category
where organization_id = $1::bigint and name = any($2::text[]) and state <> 'deleted';

-- item-categories.shared_keys: Find own keys that several live records share, before they are made unique.
--   $1::bigint organization_id
--   $2::integer count
-- Own keys that several live records have, with the ids of some of these.
select name as key, (array_agg(id order by id))[1:10] as ids
from item_category
where organization_id = $1::bigint and name is not null and state <> 'deleted'
group by name, null::bigint
having count(*) > 1
order by name, null::bigint
limit $2::integer;

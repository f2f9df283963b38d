-- facilities: SQL statements as they are sent; only line breaks and indents differ.

-- facilities.list: First page of all records, in the default order.
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
            select r.* from facility r where r.organization_id = $1::bigint
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
            || ',"subSupplierId":"' || sub_supplier_id || '","state":"' || state || '"}' as document
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

-- facilities.list_example: Example: name contains $2, sorted by it, descending.
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
            select r.* from facility r where r.organization_id = $1::bigint
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
            || ',"subSupplierId":"' || sub_supplier_id || '","state":"' || state || '"}' as document
        from page
    ) as page
) as page;
-- Next page, by cursor:
--   -                     and record.state <> 'deleted'
--   +                     and record.state <> 'deleted' and (record.name <= $3::text)
--   +                     and (record.name < $3::text or record.id > $4::bigint)

-- facilities.list_by_reference: First page of the records whose subSupplier.id is $2.
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
            select r.* from facility r where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where -- Condition of a page: records with an entry of facility that matches. The array makes the planner begin with the
                -- entries; with a join it may read all records until it has a page of matches.
                record.id = any(array(
                    select entry.id from facility entry
                    where entry.organization_id = $1::bigint and true and entry.sub_supplier_id = $2::bigint
                )) and record.state <> 'deleted'
                order by record.id limit 30 + 1 offset 0
            ) as record
        )
        select page_order, sort_values, '{"id":' || id::text || ',"name":' || to_json(name)::text
            || ',"subSupplierId":"' || sub_supplier_id || '","state":"' || state || '"}' as document
        from page
    ) as page
) as page;
-- subSupplier.customId is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of facility that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of sub_supplier.
--   -                     select entry.id from facility entry
--   -                     where entry.organization_id = $1::bigint and true and entry.sub_supplier_id = $2::bigint
--   +                     select entry.id
--   +                     from sub_supplier target
--   +                     join facility entry on entry.organization_id = $1::bigint
--   +                         and entry.sub_supplier_id = target.id
--   +                     where target.organization_id = $1::bigint and target.custom_id = $2::text

-- facilities.list_changed: First page of the records that transactions after a number have changed.
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
            select r.* from facility r where r.organization_id = $1::bigint
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
                    cross join lateral jsonb_each(change.records -> 'facilities') as operation(name, ids)
                    cross join lateral jsonb_array_elements_text(operation.ids) as changed(record_id)
                )
                order by record.id limit 30 + 1 offset 0
            ) as record
        )
        select page_order, sort_values, '{"id":' || id::text || ',"name":' || to_json(name)::text
            || ',"subSupplierId":"' || sub_supplier_id || '","state":"' || state || '"}' as document
        from page
    ) as page
) as page;

-- facilities.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
-- Documents or writables.
with record as (
    select r.* from facility r where r.organization_id = $1::bigint
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

-- facilities.read: Read a document.
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
        select r.* from facility r where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '{"id":' || id::text || ',"name":' || to_json(name)::text
        || ',"subSupplierId":"' || sub_supplier_id || '","state":"' || state || '"}' as document
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

-- facilities.read_writable: Read a writable form.
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
        select r.* from facility r where r.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '{"name":' || to_json(name)::text || ',"subSupplierId":"'
        || sub_supplier_id || '","state":"' || state || '"}' as document
    from page
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- facilities.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, state as state, name as key, sub_supplier_id as within_id from facility
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- facilities.lock_by_key: Lock the records of a write that names them by own key, name.
--   $1::bigint organization_id
--   $2::text[] keys
--   $3::bigint[] parent_ids
select id, state as state, name as key, sub_supplier_id as within_id from facility
where organization_id = $1::bigint and -- Own keys within records with the ids $3. The offset makes the planner look keys up one by one, not read all records.
id = any(array(
    select found.id
    from unnest($2::text[], $3::bigint[]) as sent(key, within_id)
    cross join lateral (
        select one.id from facility one
        where one.organization_id = $1::bigint and one.sub_supplier_id = sent.within_id
            and one.name = sent.key
        offset 0
    ) as found
))
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- facilities.references_of_subSupplierId: Lock the records that subSupplierId refers to.
--   $1::bigint organization_id
--   $2::bigint[] ids
-- Lock the referred records until the end of the transaction.
select id, state <> 'deleted' as is_live from sub_supplier
where organization_id = $1::bigint and id = any($2::bigint[])
order by id
for key share;

-- facilities.delete: Mark records as deleted.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update facility set state = 'deleted'
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
    returning id, false as shown, sub_supplier_id as "sub-suppliers.subSupplierId"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- facilities.leave_former: Detach moved facilities from a deletion of their former owner.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- A facility that moves is no longer restored with its former sub-supplier.
    update facility set state_before = null
    from jsonb_to_recordset($2::jsonb) as item(id bigint, "subSupplierId" bigint)
    where facility.organization_id = $1::bigint and facility.id = item.id
        and facility.state_before is not null and facility.sub_supplier_id <> item."subSupplierId"
    returning facility.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- facilities.update: Update the records that differ from their items.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update facility as stored
    set name = item."name", sub_supplier_id = item."subSupplierId", state = item."state"
    from jsonb_to_recordset($2::jsonb) as item(id bigint, "name" text, "subSupplierId" bigint, "state" text)
    join facility before on before.organization_id = $1::bigint and before.id = item.id
    where stored.organization_id = $1::bigint and stored.id = item.id
        and row(stored.name, stored.sub_supplier_id, stored.state) is distinct
            from row(item."name", item."subSupplierId", item."state")
    returning stored.id, false as shown, case when before.state <> 'deleted'
        and (stored.sub_supplier_id, stored.state = 'deleted') is distinct
        from (before.sub_supplier_id, before.state = 'deleted') then before.sub_supplier_id
        end as "sub-suppliers.subSupplierId.before", case when stored.state <> 'deleted'
        and (stored.sub_supplier_id, stored.state = 'deleted') is distinct
        from (before.sub_supplier_id, before.state = 'deleted') then stored.sub_supplier_id
        end as "sub-suppliers.subSupplierId.stored"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- facilities.insert: Insert new records.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into facility as stored (organization_id, id, name, sub_supplier_id, state)
    select o.id, item.id, item."name", item."subSupplierId", coalesce(item."state", 'active')
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as item(id bigint, "name" text, "subSupplierId" bigint,
        "state" text)
    where o.id = $1::bigint
    returning stored.id, sub_supplier_id as "sub-suppliers.subSupplierId"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- facilities.key_holders: Find the live records with own keys, for organizations whose own keys are unique.
--   $1::bigint organization_id
--   $2::text[] keys
--   $3::bigint[] parent_ids
-- Live records that have the own keys $2, where these are unique; with a parent, within records with the ids $3.
select id, name as key, sub_supplier_id as within_id
from facility
where organization_id = $1::bigint and name = any($2::text[]) and sub_supplier_id = any($3::bigint[])
    and state <> 'deleted';

-- facilities.shared_keys: Find own keys that several live records share, before they are made unique.
--   $1::bigint organization_id
--   $2::integer count
-- Own keys that several live records have, with the ids of some of these.
select name as key, (array_agg(id order by id))[1:10] as ids
from facility
where organization_id = $1::bigint and name is not null and state <> 'deleted'
group by name, sub_supplier_id
having count(*) > 1
order by name, sub_supplier_id
limit $2::integer;

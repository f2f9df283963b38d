-- care-instructions: SQL statements as they are sent; only line breaks and indents differ.

-- care-instructions.list: First page of all records, in the default order.
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
            select t.* from care_instruction t where t.organization_id = $1::bigint
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
        translation as (
            select
                care_instruction_id as owner_id,
                string_agg(
                    '{"id":' || id || ',"languageId":' || language_id || ',"text":' || to_json(text) || '}',
                    ',' order by language_id
                ) as documents
            from care_instruction_translation
            where organization_id = $1::bigint and care_instruction_id = any(array(select id from page))
            group by care_instruction_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || coalesce(',"userDefinedId":' || to_json(user_defined_id)::text, '')
                || ',"text":' || to_json(text)::text || ',"state":"' || state || '","position":'
                || position::text
            || ',"properties":[],"languages":[' || coalesce(translation.documents, '') || ']}' as document
        from page
        left join translation on translation.owner_id = page.id
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

-- care-instructions.list_example: Example: userDefinedId contains $2, sorted by it, descending.
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
            select t.* from care_instruction t where t.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*,
                row_number() over (order by record.user_defined_id desc, record.id) as page_order,
            case row_number() over (order by record.user_defined_id desc, record.id)
                when 30 then json_build_array(record.user_defined_id, record.id)::text end as sort_values
            from (
                select * from record
                    where strpos(lower(record.user_defined_id collate "default"),
                        lower($2::text collate "default")) > 0
                    and record.state <> 'deleted'
                order by record.user_defined_id desc, record.id limit 30 + 1 offset 0
            ) as record
        ),
        translation as (
            select
                care_instruction_id as owner_id,
                string_agg(
                    '{"id":' || id || ',"languageId":' || language_id || ',"text":' || to_json(text) || '}',
                    ',' order by language_id
                ) as documents
            from care_instruction_translation
            where organization_id = $1::bigint and care_instruction_id = any(array(select id from page))
            group by care_instruction_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || coalesce(',"userDefinedId":' || to_json(user_defined_id)::text, '')
                || ',"text":' || to_json(text)::text || ',"state":"' || state || '","position":'
                || position::text
            || ',"properties":[],"languages":[' || coalesce(translation.documents, '') || ']}' as document
        from page
        left join translation on translation.owner_id = page.id
    ) as page
) as page;
-- Next page, by cursor:
--   -                     and record.state <> 'deleted'
--   +                     and record.state <> 'deleted' and (record.user_defined_id <= $3::text)
--   +                     and (record.user_defined_id < $3::text or record.id > $4::bigint)

-- care-instructions.list_by_reference: First page of the records whose languages.languageId is $2.
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
            select t.* from care_instruction t where t.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where -- Condition of a page: records with an entry of care_instruction_translation that matches. The array makes the planner begin with the
                -- entries; with a join it may read all records until it has a page of matches.
                record.id = any(array(
                    select entry.care_instruction_id from care_instruction_translation entry
                    where entry.organization_id = $1::bigint and true and entry.language_id = $2::bigint
                )) and record.state <> 'deleted'
                order by record.id limit 30 + 1 offset 0
            ) as record
        ),
        translation as (
            select
                care_instruction_id as owner_id,
                string_agg(
                    '{"id":' || id || ',"languageId":' || language_id || ',"text":' || to_json(text) || '}',
                    ',' order by language_id
                ) as documents
            from care_instruction_translation
            where organization_id = $1::bigint and care_instruction_id = any(array(select id from page))
            group by care_instruction_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || coalesce(',"userDefinedId":' || to_json(user_defined_id)::text, '')
                || ',"text":' || to_json(text)::text || ',"state":"' || state || '","position":'
                || position::text
            || ',"properties":[],"languages":[' || coalesce(translation.documents, '') || ']}' as document
        from page
        left join translation on translation.owner_id = page.id
    ) as page
) as page;
-- languages.id is $2:
--   -                     where entry.organization_id = $1::bigint and true and entry.language_id = $2::bigint
--   +                     where entry.organization_id = $1::bigint and true and entry.id = $2::bigint
-- languages.languageCode is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of care_instruction_translation that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- The same for languages, which belong to no organization.
--   -                     select entry.care_instruction_id from care_instruction_translation entry
--   -                     where entry.organization_id = $1::bigint and true and entry.language_id = $2::bigint
--   +                     select entry.care_instruction_id
--   +                     from language target
--   +                     join care_instruction_translation entry on entry.organization_id = $1::bigint
--   +                         and entry.language_id = target.id
--   +                     where target.code = $2::text

-- care-instructions.list_changed: First page of the records that transactions after a number have changed.
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
            select t.* from care_instruction t where t.organization_id = $1::bigint
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
                    cross join lateral jsonb_each(change.records -> 'care-instructions') as operation(name,
                        ids)
                    cross join lateral jsonb_array_elements_text(operation.ids) as changed(record_id)
                )
                order by record.id limit 30 + 1 offset 0
            ) as record
        ),
        translation as (
            select
                care_instruction_id as owner_id,
                string_agg(
                    '{"id":' || id || ',"languageId":' || language_id || ',"text":' || to_json(text) || '}',
                    ',' order by language_id
                ) as documents
            from care_instruction_translation
            where organization_id = $1::bigint and care_instruction_id = any(array(select id from page))
            group by care_instruction_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || coalesce(',"userDefinedId":' || to_json(user_defined_id)::text, '')
                || ',"text":' || to_json(text)::text || ',"state":"' || state || '","position":'
                || position::text
            || ',"properties":[],"languages":[' || coalesce(translation.documents, '') || ']}' as document
        from page
        left join translation on translation.owner_id = page.id
    ) as page
) as page;

-- care-instructions.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
with record as (
    select t.* from care_instruction t where t.organization_id = $1::bigint
),
page as materialized (
    select record.id from record where record.state <> 'deleted'
)
select count(*) as total from page;
-- Count of the example:
--   -     select record.id from record where record.state <> 'deleted'
--   +     select record.id from record
--   +         where strpos(lower(record.user_defined_id collate "default"), lower($2::text collate "default")) > 0
--   +         and record.state <> 'deleted'

-- care-instructions.id_by_key: Find the record that a path names by its own key, userDefinedId.
--   $1::bigint organization_id
--   $2::text key
-- Live records with an own key: more than one, if it is ambiguous.
select id from care_instruction
where organization_id = $1::bigint and user_defined_id = $2::text and state <> 'deleted'
order by id
limit 5;

-- care-instructions.read: Read a document.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select t.* from care_instruction t where t.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    translation as (
        select
            care_instruction_id as owner_id,
            string_agg(
                '{"id":' || id || ',"languageId":' || language_id || ',"text":' || to_json(text) || '}',
                ',' order by language_id
            ) as documents
        from care_instruction_translation
        where organization_id = $1::bigint and care_instruction_id = any(array(select id from page))
        group by care_instruction_id
    )
    select
        page_order,
        sort_values,
        '{"id":' || id::text || coalesce(',"userDefinedId":' || to_json(user_defined_id)::text, '')
            || ',"text":' || to_json(text)::text || ',"state":"' || state || '","position":' || position::text
        || ',"properties":[],"languages":[' || coalesce(translation.documents, '') || ']}' as document
    from page
    left join translation on translation.owner_id = page.id
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

-- care-instructions.read_writable: Read a writable form.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select t.* from care_instruction t where t.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    translation as (
        select
            care_instruction_id as owner_id,
            string_agg(
                '{"languageId":' || language_id || ',"text":' || to_json(text) || '}', ','
                    order by language_id
            ) as documents
        from care_instruction_translation
        where organization_id = $1::bigint and care_instruction_id = any(array(select id from page))
        group by care_instruction_id
    )
    select
        page_order,
        sort_values,
        '{"userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null') || ',"text":'
            || to_json(text)::text || ',"state":"' || state || '"'
        || ',"languages":[' || coalesce(translation.documents, '') || ']}' as document
    from page
    left join translation on translation.owner_id = page.id
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- care-instructions.read_last: Read the last document of a record before its delete.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select t.* from care_instruction t where t.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    translation as (
        select
            care_instruction_id as owner_id,
            string_agg(
                '{"id":' || id || ',"languageId":' || language_id || ',"text":' || to_json(text) || '}',
                ',' order by language_id
            ) as documents
        from care_instruction_translation
        where organization_id = $1::bigint and care_instruction_id = any(array(select id from page))
        group by care_instruction_id
    )
    select
        page_order,
        sort_values,
        '{"id":' || id::text || coalesce(',"userDefinedId":' || to_json(user_defined_id)::text, '')
            || ',"text":' || to_json(text)::text || ',"state":"' || 'deleted'::text || '","position":'
            || position::text
        || ',"properties":[],"languages":[' || coalesce(translation.documents, '') || ']}' as document
    from page
    left join translation on translation.owner_id = page.id
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- care-instructions.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, state as state, user_defined_id as key, null::bigint as within_id from care_instruction
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- care-instructions.lock_by_key: Lock the records of a write that names them by own key, userDefinedId.
--   $1::bigint organization_id
--   $2::text[] keys
select id, state as state, user_defined_id as key, null::bigint as within_id from care_instruction
where organization_id = $1::bigint and id = any(array(
    select one.id from care_instruction one where one.organization_id = $1::bigint
        and one.user_defined_id = any($2::text[])
))
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- care-instructions.differing_translations: Read which translations differ from the stored ones.
--   $1::bigint organization_id
--   $2::jsonb items
-- Return the sent translations that are not stored, or with another text, by their numbers from 1.
select
    item.n::integer as item,
    translation.n::integer as translation,
    stored.id,
    l.id is not null as has_language
from rows from (
    jsonb_to_recordset($2::jsonb) as (id bigint, languages jsonb)
) with ordinality as item(id, languages, n)
cross join jsonb_array_elements(item.languages) with ordinality as translation(value, n)
left join care_instruction_translation stored
    on stored.organization_id = $1::bigint and stored.care_instruction_id = item.id
        and stored.language_id = (translation.value ->> 'languageId')::bigint
left join language l on l.id = (translation.value ->> 'languageId')::bigint
where stored.id is null or stored.text <> translation.value ->> 'text'
order by item.n, translation.n;

-- care-instructions.save_translations: Insert and update translations.
--   $1::bigint organization_id
--   $2::jsonb translations
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Each translation has an id, that of the stored one if there is one.
    insert into care_instruction_translation as stored (organization_id, id, care_instruction_id, language_id,
        text)
    select o.id, sent.id, sent."ownerId", sent."languageId", sent.text
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as sent(id bigint, "ownerId" bigint, "languageId" bigint,
        text text)
    where o.id = $1::bigint
    on conflict (organization_id, care_instruction_id, language_id) do update set text = excluded.text
    returning stored.care_instruction_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- care-instructions.purge: Delete records from the database.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    delete from care_instruction
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
    returning id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- care-instructions.update: Update the records that differ from their items.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Omitted fields keep their values.
    update care_instruction as stored
    set user_defined_id = coalesce(item."userDefinedId", stored.user_defined_id),
        text = coalesce(item."text", stored.text), state = coalesce(item."state", stored.state)
    from jsonb_to_recordset($2::jsonb) as item(id bigint, "userDefinedId" text, "text" text, "state" text)
    where stored.organization_id = $1::bigint and stored.id = item.id
        and row(stored.user_defined_id, stored.text, stored.state) is distinct
            from row(coalesce(item."userDefinedId", stored.user_defined_id),
                coalesce(item."text", stored.text), coalesce(item."state", stored.state))
    returning stored.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- care-instructions.remove_translations: Delete translations that items omit.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    with item as materialized (
        select id, languages
        from jsonb_to_recordset($2::jsonb) as item(id bigint, languages jsonb)
        where languages is not null
    ),
    wanted as materialized (
        select item.id, (translation ->> 'languageId')::bigint as language_id
        from item
        cross join jsonb_array_elements(item.languages) as translation
    )
    delete from care_instruction_translation stored
    using item
    where stored.organization_id = $1::bigint and stored.care_instruction_id = item.id
        and (stored.care_instruction_id, stored.language_id) not in (select id, language_id from wanted)
    returning stored.care_instruction_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- care-instructions.insert: Insert new records.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into care_instruction as stored (organization_id, id, position, user_defined_id, text, state)
    select
        o.id,
        item.id,
        coalesce(highest.position, 0) + row_number() over (partition by o.id order by item.id),
        item."userDefinedId", item."text", coalesce(item."state", 'active')
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as item(id bigint, "userDefinedId" text, "text" text,
        "state" text)
    left join lateral (
        select other.position from care_instruction other
        where other.organization_id = $1::bigint and other.organization_id = o.id
        order by other.position desc
        limit 1
    ) as highest on true
    where o.id = $1::bigint
    returning stored.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- care-instructions.key_holders: Find the live records with own keys, for organizations whose own keys are unique.
--   $1::bigint organization_id
--   $2::text[] keys
-- Live records that have the own keys $2, where these are unique; with a parent, within records with the ids $3.
select id, user_defined_id as key, null::bigint as within_id
from care_instruction
where organization_id = $1::bigint and user_defined_id = any($2::text[]) and state <> 'deleted';

-- care-instructions.shared_keys: Find own keys that several live records share, before they are made unique.
--   $1::bigint organization_id
--   $2::integer count
-- Own keys that several live records have, with the ids of some of these.
select user_defined_id as key, (array_agg(id order by id))[1:10] as ids
from care_instruction
where organization_id = $1::bigint and user_defined_id is not null and state <> 'deleted'
group by user_defined_id, null::bigint
having count(*) > 1
order by user_defined_id, null::bigint
limit $2::integer;

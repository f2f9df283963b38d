-- GET /api/brands?pageSize=2: 1

-- 1. shared.collect_page(plain_records.shape(plain_records.record))
--   $1::bigint organization_id
select
    case when bytes <= 8388608 then substring(convert_to(documents, 'UTF8') for bytes) end as documents,
    coalesce(last_values, '[' || ids[2] || ']') as last_values, cardinality(ids) > 2 as has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order), '') as documents,
        greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[2 + 1], 0),
            0)::integer as bytes,
        array_agg(page_order order by page_order) as ids,
        max(sort_values) as last_values
    from (
        select page.*, octet_length(document) + 1 as size from (
            -- Documents or writables.
            with record as (
                select r.* from brand r where r.organization_id = $1::bigint
            ),
            page as (
                select record.*, record.id as page_order, null::text as sort_values
                from (
                    select * from record where record.state <> 'deleted'
                    order by record.id limit 2 + 1 offset 0
                ) as record
            )
            select page_order, sort_values, '{"id":' || id::text
                || coalesce(',"customId":' || to_json(custom_id)::text, '') || ',"name":'
                || to_json(name)::text || ',"state":"' || state || '"}' as document
            from page
        ) as page order by page_order
    ) as page
) as page;

-- GET /api/brands?pageSize=1&state=active&sort[0].property=customId&sort[0].order=desc: 2

-- 2. shared.collect_page(plain_records.shape(plain_records.record)), like 1 but for
--   $1::bigint organization_id
--   $2::text = 'active'
--   -     coalesce(last_values, '[' || ids[2] || ']') as last_values, cardinality(ids) > 2 as has_more
--   +     coalesce(last_values, '[' || ids[1] || ']') as last_values, cardinality(ids) > 1 as has_more
--   -         greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[2 + 1], 0),
--   +         greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[1 + 1], 0),
--   -                 select record.*, record.id as page_order, null::text as sort_values
--   +                 select record.*, row_number() over (order by record.custom_id desc, record.id) as page_order,
--   +                 case row_number() over (order by record.custom_id desc, record.id)
--   +                     when 1 then json_build_array(record.custom_id, record.id)::text end as sort_values
--   -                     select * from record where record.state <> 'deleted'
--   -                     order by record.id limit 2 + 1 offset 0
--   +                     select * from record where record.state = $2::text
--   +                     order by record.custom_id desc, record.id limit 1 + 1 offset 0

-- GET /api/brands?cursor=…: 3

-- 3. shared.collect_page(plain_records.shape(plain_records.record)), like 1 but for
--   $1::bigint organization_id
--   $2::text = 'active'
--   $3::text = 'TH-B034'
--   $4::bigint = 34
--   -     coalesce(last_values, '[' || ids[2] || ']') as last_values, cardinality(ids) > 2 as has_more
--   +     coalesce(last_values, '[' || ids[1] || ']') as last_values, cardinality(ids) > 1 as has_more
--   -         greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[2 + 1], 0),
--   +         greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[1 + 1], 0),
--   -                 select record.*, record.id as page_order, null::text as sort_values
--   +                 select record.*, row_number() over (order by record.custom_id desc, record.id) as page_order,
--   +                 case row_number() over (order by record.custom_id desc, record.id)
--   +                     when 1 then json_build_array(record.custom_id, record.id)::text end as sort_values
--   -                     select * from record where record.state <> 'deleted'
--   -                     order by record.id limit 2 + 1 offset 0
--   +                     select * from record where record.state = $2::text and (record.custom_id <= $3::text)
--   +                         and (record.custom_id < $3::text or record.id > $4::bigint)
--   +                     order by record.custom_id desc, record.id limit 1 + 1 offset 0

-- GET /api/brands/1: 4

-- 4. shared.collect_batch(plain_records.shape(plain_records.record))
--   $1::bigint organization_id
--   $2::bigint = 1
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    -- Documents or writables.
    with record as (
        select r.* from brand r where r.organization_id = $1::bigint
    ),
    page as (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '{"id":' || id::text
        || coalesce(',"customId":' || to_json(custom_id)::text, '') || ',"name":' || to_json(name)::text
        || ',"state":"' || state || '"}' as document
    from page
) as page;

-- GET /api/brands/1?form=writable: 5

-- 5. shared.collect_batch(plain_records.shape(plain_records.record))
--   $1::bigint organization_id
--   $2::bigint = 1
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    -- Documents or writables.
    with record as (
        select r.* from brand r where r.organization_id = $1::bigint
    ),
    page as (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '{"customId":'
        || coalesce(to_json(case
            when custom_id ~ '[^\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0001-\u001f\u007f-'
        '\u009f\u00ad\u034f\u0600-'
        '\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e\u200b\u'
        '200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-'
        '\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-'
        '\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\u200c\u200d\u180b-'
        '\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]' then custom_id end
    )::text, 'null'
    ) || ',"name":' || to_json(name)::text || ',"state":"' || state || '"}' as document
    from page
) as page;

-- GET /api/brands/customId=TH-B001: 6, 4

-- 6. shared.live_by_key
--   $1::bigint organization_id
--   $2::text[] forms
-- Live records with an own key in any of its normal forms: more than one, if it is ambiguous.
select id from brand
where organization_id = $1::bigint and custom_id = any($2::text[]) and state <> 'deleted'
order by id
limit 5;

-- POST /api/brands: 7, 8, 9, 7, 10, 11

-- 7. shared.next_ids
--   $1::text table_name
--   $2::integer count
-- The offset makes PostgreSQL look up the sequence once.
select nextval(sequence.oid) as id
from (select pg_get_serial_sequence($1::text, 'id')::regclass as oid offset 0) as sequence
cross join generate_series(1, $2::integer);

-- 8. shared.rows_as_json(plain_records.insert)
--   $1::bigint organization_id
--   $2::jsonb items
--   $3::text source
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into brand as stored (organization_id, id, custom_id, name, state, source)
    select o.id, item.id, item."customId", item."name", coalesce(item."state", 'active'), $3::text
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as item(id bigint, "customId" text, "name" text, "state" text)
    where o.id = $1::bigint
    returning stored.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- 9. shared.collect_batch(plain_records.shape(plain_records.record)), like 4 but for
--   $1::bigint organization_id
--   $2::text = '{71,72}'
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- 10. changes.record
--   $1::bigint organization_id
--   $2::bigint id
--   $3::bigint key_id
--   $4::text request_id
--   $5::integer entries
--   $6::jsonb records
--   $7::jsonb causes
--   $8::text without_versions
-- Returns no row, so that it can be sent ahead of the commit. The id is a parameter, because a cluster would pull an
-- insert that takes one from a sequence to the coordinator.
insert into change (organization_id, id, clock, api_key_id, request_id, entries, records, causes,
    without_versions)
select
    o.id,
    $2::bigint,
    coalesce(latest.clock, 0) + 1,
    $3::bigint,
    $4::text,
    $5::integer,
    $6::jsonb,
    $7::jsonb,
    (select $8::text::text[])
from organization o
left join lateral (
    select earlier.clock from change earlier
    where earlier.organization_id = $1::bigint and earlier.organization_id = o.id and earlier.n is null
    order by earlier.clock desc
    limit 1
) as latest on true
where o.id = $1::bigint;

-- 11. record_versions.insert
--   $1::bigint organization_id
--   $2::bigint change_id
--   $3::text collections
--   $4::bigint[] record_ids
--   $5::bigint[] part_ids
--   $6::bigint[] versions
--   $7::text forms
-- Returns no row, as record of changes.sql. The forms are separated by a character that JSON escapes; "" stands for none. Two
-- transactions that change a record without a lock take one version: the later one is repeated.
insert into record_version (organization_id, collection, record_id, part_id, version, change_id, form)
select o.id, image.collection, image.record_id, image.part_id, image.version, $2::bigint,
    nullif(image.form, '')
from organization o
cross join unnest(
    (select $3::text::text[]), $4::bigint[], $5::bigint[], $6::bigint[], string_to_array($7::text, chr(30))
) as image(collection, record_id, part_id, version, form)
where o.id = $1::bigint;

-- PUT /api/brands: 12, 13, 9, 10, 11

-- 12. shared.lock_records(shared.id_is_sent)
--   $1::bigint organization_id
--   $2::text = '{71,72}'
select id, state as state, custom_id as key, null::bigint as within_id, null::text as fields from brand
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;

-- 13. shared.rows_and_images(plain_records.update, shared.images(shared.next_version, plain_records.shape(plain_records.record, shared.images_page(shared.returned_ids))))
--   $1::bigint organization_id
--   $2::jsonb items
-- The same, with forms of the records of these rows, as they were before the statement: all of it sees one snapshot. The numbers
-- are those of the subjects, the records, the parts and the versions, in the order of the forms.
with returned as (
    with sent as materialized (
        select *
            from jsonb_to_recordset($2::jsonb) as item(id bigint, "customId" text, "name" text, "state" text)
    )
    update brand as stored
    set custom_id = item."customId", name = item."name", state = item."state"
    from sent as item
    cross join lateral (
        select one.* from brand one
        where one.organization_id = $1::bigint and one.id between item.id and item.id
        order by one.id
        limit 1
    ) as before
    -- The array makes the planner look the records up; with joins alone it may read all of the organization.
    where stored.organization_id = $1::bigint and stored.id = any(array(select id from sent))
        and stored.id = item.id
        and row(stored.custom_id, stored.name, stored.state) is distinct
            from row(item."customId", item."name", item."state")
    returning stored.id, row(stored.custom_id, stored.name) is distinct
        from row(before.custom_id, before.name) as shown
)
select image.numbers as ids, array[changed.rows] || image.forms as documents
from (select convert_to(json_agg(returned)::text, 'UTF8') as rows from returned) as changed
cross join (
    select
        array_agg(image.subject) || array_agg(image.record_id) || array_agg(image.part_id)
        || array_agg(image.version) as numbers,
        array_agg(convert_to(image.document, 'UTF8')) as forms
    from (
        -- Part of rows_and_images: forms of records.
        select 0::bigint as subject, form.page_order as record_id, 0::bigint as part_id, coalesce((
            select earlier.version from record_version earlier
            where earlier.organization_id = $1::bigint and earlier.collection = 'brands'
                and earlier.record_id = form.page_order and earlier.part_id = 0
            order by earlier.version desc
            limit 1
            ), 0
        ) + 1 as version, form.document
        from (
            -- Documents or writables.
            with record as (
                select r.* from brand r where r.organization_id = $1::bigint
            ),
            page as (
                select record.*, record.id as page_order, null::text as sort_values
                from record
                where record.id = any(array(select returned."id" from returned))
            )
            select page_order, sort_values, '{"customId":'
                || coalesce(to_json(case
                    when custom_id ~ '[^\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0001-\u001f\u007f-'
                '\u009f\u00ad\u034f\u0600-'
                '\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e\u200b\u'
                '200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-'
                '\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-'
                '\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\u200c\u200d\u180b-'
                '\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]' then custom_id end
            )::text, 'null'
            ) || ',"name":' || to_json(name)::text || ',"state":"' || state || '"}' as document
            from page
        ) as form
    ) as image
) as image;

-- PUT /api/brands?match=customId: 14, 15, 14, 16, 13, 10, 11

-- 14. writer_locks.lock
--   $1::bigint organization_id
--   $2::text[] purposes
select purpose from writer_lock where organization_id = $1::bigint and purpose = any($2::text[])
order by purpose
for no key update;

-- 15. writer_locks.insert
--   $1::bigint organization_id
--   $2::text purpose
insert into writer_lock (organization_id, purpose) values ($1::bigint, $2::text)
on conflict (organization_id, purpose) do nothing;

-- 16. shared.lock_records(shared.key_is_sent)
--   $1::bigint organization_id
--   $2::text[] = ['RECORDED-1', 'RECORDED-2']
--   $3::bigint[] = []
select id, state as state, custom_id as key, null::bigint as within_id, null::text as fields from brand
where organization_id = $1::bigint and id = any($3::bigint[] || array(
    select one.id from brand one where one.organization_id = $1::bigint and one.custom_id = any($2::text[])
))
order by id
for no key update;

-- PATCH /api/brands?match=customId: 14, 16, 17, 13

-- 17. shared.collect_batch(plain_records.shape(plain_records.record))
--   $1::bigint organization_id
--   $2::text = '{71,72}'
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    -- Documents or writables.
    with record as (
        select r.* from brand r where r.organization_id = $1::bigint
    ),
    page as (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = any((select $2::text::bigint[])::bigint[])
    )
    select page_order, sort_values, '{"customId":'
        || coalesce(to_json(case
            when custom_id ~ '[^\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0001-\u001f\u007f-'
        '\u009f\u00ad\u034f\u0600-'
        '\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e\u200b\u'
        '200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-'
        '\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-'
        '\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\u200c\u200d\u180b-'
        '\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]' then custom_id end
    )::text, 'null'
    ) || ',"name":' || to_json(name)::text || ',"state":"' || state || '"}' as document
    from page
) as page;

-- PATCH /api/brands: 18, 17, 13, 9, 10, 11

-- 18. shared.rows_as_json(shared.lock_records(shared.id_is_sent))
--   $1::bigint organization_id
--   $2::text = '{71,72}'
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    select id, state as state, custom_id as key, null::bigint as within_id, null::text as fields from brand
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
    order by id
    for no key update
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- PATCH /api/brands/71: 18, 5, 13, 4, 10, 11

-- DELETE /api/brands/71: 19, 20, 21, 22, 4, 10, 11

-- 19. shared.lock_records(shared.id_is_sent)
--   $1::bigint organization_id
--   $2::text = '{71}'
select id, state as state, custom_id as key, null::bigint as within_id, null::text as fields from brand
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for update;

-- 20. relations.uses
--   $1::bigint organization_id
--   $2::text ids
-- Ids that records of barcode_range refer to by a link, which may be the same table, with the number of live records, and with
-- the ids and own keys of the first ones.
select
    link.brand_id as id,
    'barcode ranges' as users,
    count(distinct record.id) filter (where record.state <> 'deleted') as uses,
    array(
        select json_build_array(named.id, named.key)::text
        from (
            select distinct record.id, record.user_defined_id as key
            from (
                select one.* from barcode_range one
                where one.organization_id = $1::bigint and one.brand_id between link.brand_id
                    and link.brand_id
                order by one.brand_id
                offset 0
            ) as other
            cross join lateral (
                select one.* from barcode_range one
                where one.organization_id = $1::bigint and one.id between other.id and other.id
                order by one.id
                limit 1
            ) as record
            where record.state <> 'deleted'
            offset 0
        ) as named
        order by named.id
        limit 10
    ) as first
from barcode_range link
cross join lateral (
    select one.* from barcode_range one
    where one.organization_id = $1::bigint and one.id between link.id and link.id
    order by one.id
    limit 1
) as record
where link.organization_id = $1::bigint and link.brand_id = any((select $2::text::bigint[])::bigint[])
group by link.brand_id
union all
-- Ids that records of item refer to by a link, which may be the same table, with the number of live records, and with
-- the ids and own keys of the first ones.
select
    link.brand_id as id,
    'items' as users,
    count(distinct record.id) filter (where record.state <> 'deleted') as uses,
    array(
        select json_build_array(named.id, named.key)::text
        from (
            select distinct record.id, record.number as key
            from (
                select one.* from item one
                where one.organization_id = $1::bigint and one.brand_id between link.brand_id
                    and link.brand_id
                order by one.brand_id
                offset 0
            ) as other
            cross join lateral (
                select one.* from item one
                where one.organization_id = $1::bigint and one.id between other.id and other.id
                order by one.id
                limit 1
            ) as record
            where record.state <> 'deleted'
            offset 0
        ) as named
        order by named.id
        limit 10
    ) as first
from item link
cross join lateral (
    select one.* from item one
    where one.organization_id = $1::bigint and one.id between link.id and link.id
    order by one.id
    limit 1
) as record
where link.organization_id = $1::bigint and link.brand_id = any((select $2::text::bigint[])::bigint[])
group by link.brand_id
union all
-- Ids that records of style refer to by a link, which may be the same table, with the number of live records, and with
-- the ids and own keys of the first ones.
select
    link.brand_id as id,
    'styles' as users,
    count(distinct record.id) filter (where record.state <> 'deleted') as uses,
    array(
        select json_build_array(named.id, named.key)::text
        from (
            select distinct record.id, record.number as key
            from (
                select one.* from style one
                where one.organization_id = $1::bigint and one.brand_id between link.brand_id
                    and link.brand_id
                order by one.brand_id
                offset 0
            ) as other
            cross join lateral (
                select one.* from style one
                where one.organization_id = $1::bigint and one.id between other.id and other.id
                order by one.id
                limit 1
            ) as record
            where record.state <> 'deleted'
            offset 0
        ) as named
        order by named.id
        limit 10
    ) as first
from style link
cross join lateral (
    select one.* from style one
    where one.organization_id = $1::bigint and one.id between link.id and link.id
    order by one.id
    limit 1
) as record
where link.organization_id = $1::bigint and link.brand_id = any((select $2::text::bigint[])::bigint[])
group by link.brand_id;

-- 21. shared.rows_and_images(plain_records.delete, shared.images(shared.next_version, plain_records.shape(plain_records.record, shared.images_page(shared.returned_ids))))
--   $1::bigint organization_id
--   $2::text ids
-- The same, with forms of the records of these rows, as they were before the statement: all of it sees one snapshot. The numbers
-- are those of the subjects, the records, the parts and the versions, in the order of the forms.
with returned as (
    update brand set state = 'deleted'
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
    returning id, false as shown
)
select image.numbers as ids, array[changed.rows] || image.forms as documents
from (select convert_to(json_agg(returned)::text, 'UTF8') as rows from returned) as changed
cross join (
    select
        array_agg(image.subject) || array_agg(image.record_id) || array_agg(image.part_id)
        || array_agg(image.version) as numbers,
        array_agg(convert_to(image.document, 'UTF8')) as forms
    from (
        -- Part of rows_and_images: forms of records.
        select 0::bigint as subject, form.page_order as record_id, 0::bigint as part_id, coalesce((
            select earlier.version from record_version earlier
            where earlier.organization_id = $1::bigint and earlier.collection = 'brands'
                and earlier.record_id = form.page_order and earlier.part_id = 0
            order by earlier.version desc
            limit 1
            ), 0
        ) + 1 as version, form.document
        from (
            -- Documents or writables.
            with record as (
                select r.* from brand r where r.organization_id = $1::bigint
            ),
            page as (
                select record.*, record.id as page_order, null::text as sort_values
                from record
                where record.id = any(array(select returned."id" from returned))
            )
            select page_order, sort_values, '{"customId":'
                || coalesce(to_json(case
                    when custom_id ~ '[^\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0001-\u001f\u007f-'
                '\u009f\u00ad\u034f\u0600-'
                '\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e\u200b\u'
                '200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-'
                '\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-'
                '\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\u200c\u200d\u180b-'
                '\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]' then custom_id end
            )::text, 'null'
            ) || ',"name":' || to_json(name)::text || ',"state":"' || state || '"}' as document
            from page
        ) as form
    ) as image
) as image;

-- 22. shared.rows_and_images(relations.clear, shared.images(shared.next_version, plain_records.shape(plain_records.record, shared.images_page(shared.returned_ids), child_lists.join(child_lists.rows))))
--   $1::bigint organization_id
--   $2::text ids
-- The same, with forms of the records of these rows, as they were before the statement: all of it sees one snapshot. The numbers
-- are those of the subjects, the records, the parts and the versions, in the order of the forms.
with returned as (
    -- Removes the links of deleted records for good.
    delete from custom_field_brand
    where organization_id = $1::bigint and brand_id = any((select $2::text::bigint[])::bigint[])
    returning custom_field_id as "style-custom-fields.form"
)
select image.numbers as ids, array[changed.rows] || image.forms as documents
from (select convert_to(json_agg(returned)::text, 'UTF8') as rows from returned) as changed
cross join (
    select
        array_agg(image.subject) || array_agg(image.record_id) || array_agg(image.part_id)
        || array_agg(image.version) as numbers,
        array_agg(convert_to(image.document, 'UTF8')) as forms
    from (
        -- Part of rows_and_images: forms of records.
        select 0::bigint as subject, form.page_order as record_id, 0::bigint as part_id, coalesce((
            select earlier.version from record_version earlier
            where earlier.organization_id = $1::bigint and earlier.collection = 'style-custom-fields'
                and earlier.record_id = form.page_order and earlier.part_id = 0
            order by earlier.version desc
            limit 1
            ), 0
        ) + 1 as version, form.document
        from (
            -- Documents or writables.
            with record as (
                select r.* from style_custom_field r where r.organization_id = $1::bigint
            ),
            page as (
                select record.*, record.id as page_order, null::text as sort_values
                from record
                where record.id = any(array(select returned."style-custom-fields.form" from returned))
            )
            select page_order, sort_values, '{"name":' || to_json(name)::text || ',"userDefinedId":'
                || coalesce(to_json(case
                    when user_defined_id ~ '[^\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0001-\u001f\u007f-'
                '\u009f\u00ad\u034f\u0600-'
                '\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e\u200b\u'
                '200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-'
                '\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-'
                '\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\u200c\u200d\u180b-'
                '\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]' then user_defined_id end
            )::text, 'null'
            ) || ',"state":"' || state || '","internalOnly":' || internal_only::text || ',"isMandatory":'
                || is_mandatory::text || ',"isSupplierEditable":' || is_supplier_editable::text
                || ',"isMultiLine":' || is_multi_line::text || ',"isSortByAllowedValueId":'
                || is_sort_by_allowed_value_id::text || ',"diffPerColor":' || diff_per_color::text
                || ',"diffPerSize":' || diff_per_size::text || ',"useInThumbnailViewGroupBy":'
                || use_in_thumbnail_view_group_by::text || ',"maxChar":' || coalesce(max_char::text, 'null')
                || ',"allowedDecimals":' || coalesce(allowed_decimals::text, 'null')
                || ',"numericVariantCalculationFormula":"' || numeric_variant_calculation_formula
                || '","allowedValues":[' || coalesce(allowed_values, '') || '],"associatedBrands":['
                || coalesce(associated_brands, '') || '],"associatedGroups":['
                || coalesce(associated_groups, '') || '],"associatedStyleCategories":['
                || coalesce(associated_style_categories, '') || ']}' as document
            from page
            left join lateral (
                select string_agg('{"id":' || id::text || ',"value":' || to_json(value)::text
                    || ',"userDefinedId":'
                    || coalesce(to_json(case
                        when user_defined_id ~ '[^\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0001-\u001f\u007f-'
                    '\u009f\u00ad\u034f\u0600-'
                    '\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e\u200b\u'
                    '200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-'
                    '\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-'
                    '\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\u200c\u200d\u180b-'
                    '\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]' then user_defined_id end
                )::text, 'null'
                ) || ',"isDefaultValue":' || is_default_value::text || ',"parentAllowedValueId":'
                    || coalesce(parent_allowed_value_id::text, 'null') || '}', ',' order by case
                    when page.is_sort_by_allowed_value_id then entry.user_defined_id else entry.value end,
                    entry.id
                ) as allowed_values
                from (
                    select stored.id, stored.value, stored.user_defined_id, stored.is_default_value,
                        stored.parent_allowed_value_id
                    from style_allowed_value as stored
                    where stored.organization_id = $1::bigint and stored.custom_field_id = page.id
                ) as entry
            ) as allowed_values_of_page on true
            -- Part of documents and writables: the ids or entries of each record of the page.
            left join lateral (
                select string_agg('{"id":' || id::text || ',"name":' || to_json(name)::text || '}', ','
                    order by entry.linked_id) as associated_brands
                from (
                    -- In an order that the index by owner alone has, as in linked_ids.
                    select target.*, stored.brand_id as linked_id
                    from custom_field_brand stored
                    cross join lateral (
                        -- The offset keeps the planner from reading the target of all links at once.
                        select * from brand t where t.organization_id = $1::bigint
                            and t.id = stored.brand_id offset 0
                    ) as target
                    where stored.organization_id = $1::bigint and stored.custom_field_id between page.id
                        and page.id
                    order by stored.custom_field_id
                ) as entry
            ) as associated_brands_of_page on true
            -- Part of documents and writables: the ids or entries of each record of the page.
            left join lateral (
                select string_agg('{"id":' || id::text || ',"name":' || to_json(name)::text || '}', ','
                    order by entry.linked_id) as associated_groups
                from (
                    -- In an order that the index by owner alone has, as in linked_ids.
                    select target.*, stored.group_id as linked_id
                    from custom_field_group stored
                    cross join lateral (
                        -- The offset keeps the planner from reading the target of all links at once.
                        select * from style_group t where t.organization_id = $1::bigint
                            and t.id = stored.group_id offset 0
                    ) as target
                    where stored.organization_id = $1::bigint and stored.custom_field_id between page.id
                        and page.id
                    order by stored.custom_field_id
                ) as entry
            ) as associated_groups_of_page on true
            -- Part of documents and writables: the ids or entries of each record of the page.
            left join lateral (
                select string_agg('{"id":' || id::text || ',"name":' || to_json(name)::text || '}', ','
                    order by entry.linked_id) as associated_style_categories
                from (
                    -- In an order that the index by owner alone has, as in linked_ids.
                    select target.*, stored.style_category_id as linked_id
                    from custom_field_style_category stored
                    cross join lateral (
                        -- The offset keeps the planner from reading the target of all links at once.
                        select * from style_category t where t.organization_id = $1::bigint
                            and t.id = stored.style_category_id offset 0
                    ) as target
                    where stored.organization_id = $1::bigint and stored.custom_field_id between page.id
                        and page.id
                    order by stored.custom_field_id
                ) as entry
            ) as associated_style_categories_of_page on true
        ) as form
    ) as image
) as image;

-- DELETE /api/brands?ids=72: 19, 20, 21, 22, 4, 10, 11

-- GET /api/colors?pageSize=2: 23

-- 23. shared.collect_page(colors.documents)
--   $1::bigint organization_id
select
    case when bytes <= 8388608 then substring(convert_to(documents, 'UTF8') for bytes) end as documents,
    coalesce(last_values, '[' || ids[2] || ']') as last_values, cardinality(ids) > 2 as has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order), '') as documents,
        greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[2 + 1], 0),
            0)::integer as bytes,
        array_agg(page_order order by page_order) as ids,
        max(sort_values) as last_values
    from (
        select page.*, octet_length(document) + 1 as size from (
            with record as (
                select c.* from color c where c.organization_id = $1::bigint
            ),
            page as materialized (
                select record.*, record.id as page_order, null::text as sort_values
                from (
                    select * from record where record.state <> 'deleted'
                    order by record.id limit 2 + 1 offset 0
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
                full join group_document g on g.id = l.color_group_id
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
                -- A character that JSON escapes stands for the name of the color.
                select
                    l.color_id,
                    string_agg(d.document || coalesce(to_json(l.color_name)::text, chr(1)) || '}', ','
                        order by d.id) as documents
                from language_link l
                full join language_document d on d.id = l.language_id
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
                || '],"languageNames":[' || coalesce(replace(l.documents, chr(1), to_json(name)::text), '')
                || '],"properties":[]}' as document
            from page
            -- Full joins, which are never nested loops, aggregate once, whatever rows the planner expects.
            full join color_groups g on g.color_id = page.id
            full join color_languages l on l.color_id = page.id
        ) as page order by page_order
    ) as page
) as page;

-- GET /api/colors?pageSize=1&state=active&sort[0].property=userDefinedId&sort[0].order=desc: 24

-- 24. shared.collect_page(colors.documents), like 23 but for
--   $1::bigint organization_id
--   $2::text = 'active'
--   -     coalesce(last_values, '[' || ids[2] || ']') as last_values, cardinality(ids) > 2 as has_more
--   +     coalesce(last_values, '[' || ids[1] || ']') as last_values, cardinality(ids) > 1 as has_more
--   -         greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[2 + 1], 0),
--   +         greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[1 + 1], 0),
--   -                 select record.*, record.id as page_order, null::text as sort_values
--   +                 select record.*,
--   +                     row_number() over (order by record.user_defined_id desc, record.id) as page_order,
--   +                 case row_number() over (order by record.user_defined_id desc, record.id)
--   +                     when 1 then json_build_array(record.user_defined_id, record.id)::text end as sort_values
--   -                     select * from record where record.state <> 'deleted'
--   -                     order by record.id limit 2 + 1 offset 0
--   +                     select * from record where record.state = $2::text
--   +                     order by record.user_defined_id desc, record.id limit 1 + 1 offset 0

-- GET /api/colors?cursor=…: 25

-- 25. shared.collect_page(colors.documents), like 23 but for
--   $1::bigint organization_id
--   $2::text = 'active'
--   $3::text = 'TH-C1282'
--   $4::bigint = 282
--   -     coalesce(last_values, '[' || ids[2] || ']') as last_values, cardinality(ids) > 2 as has_more
--   +     coalesce(last_values, '[' || ids[1] || ']') as last_values, cardinality(ids) > 1 as has_more
--   -         greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[2 + 1], 0),
--   +         greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[1 + 1], 0),
--   -                 select record.*, record.id as page_order, null::text as sort_values
--   +                 select record.*,
--   +                     row_number() over (order by record.user_defined_id desc, record.id) as page_order,
--   +                 case row_number() over (order by record.user_defined_id desc, record.id)
--   +                     when 1 then json_build_array(record.user_defined_id, record.id)::text end as sort_values
--   -                     select * from record where record.state <> 'deleted'
--   -                     order by record.id limit 2 + 1 offset 0
--   +                     select * from record where record.state = $2::text
--   +                         and (record.user_defined_id <= $3::text)
--   +                         and (record.user_defined_id < $3::text or record.id > $4::bigint)
--   +                     order by record.user_defined_id desc, record.id limit 1 + 1 offset 0

-- GET /api/colors/1: 26

-- 26. shared.collect_batch(colors.documents)
--   $1::bigint organization_id
--   $2::bigint = 1
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
        full join group_document g on g.id = l.color_group_id
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
        -- A character that JSON escapes stands for the name of the color.
        select
            l.color_id,
            string_agg(d.document || coalesce(to_json(l.color_name)::text, chr(1)) || '}', ','
                order by d.id) as documents
        from language_link l
        full join language_document d on d.id = l.language_id
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
        || '],"languageNames":[' || coalesce(replace(l.documents, chr(1), to_json(name)::text), '')
        || '],"properties":[]}' as document
    from page
    -- Full joins, which are never nested loops, aggregate once, whatever rows the planner expects.
    full join color_groups g on g.color_id = page.id
    full join color_languages l on l.color_id = page.id
) as page;

-- GET /api/colors/1?form=writable: 27

-- 27. shared.collect_batch(colors.writables)
--   $1::bigint organization_id
--   $2::bigint = 1
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
            || coalesce(to_json(case
                when user_defined_id ~ '[^\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0001-\u001f\u007f-'
            '\u009f\u00ad\u034f\u0600-'
            '\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e\u200b\u'
            '200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-'
            '\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-'
            '\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\u200c\u200d\u180b-'
            '\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]' then user_defined_id end
        )::text, 'null'
        ) || ',"userDefinedId2":' || coalesce(to_json(user_defined_id2)::text, 'null') || ',"colorReference":'
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

-- GET /api/colors/userDefinedId=TH-C1001: 28, 26

-- 28. shared.live_by_key
--   $1::bigint organization_id
--   $2::text[] forms
-- Live records with an own key in any of its normal forms: more than one, if it is ambiguous.
select id from color
where organization_id = $1::bigint and user_defined_id = any($2::text[]) and state <> 'deleted'
order by id
limit 5;

-- POST /api/colors: 7, 29, 30, 31, 32, 33, 34, 35, 36, 7, 10, 11

-- 29. links.stored
--   $1::bigint organization_id
--   $2::text ids
--   $3::bigint first_id
--   $4::bigint last_id
select 'color_in_group' as link, array_agg(color_id) as owner_ids, array_agg(color_group_id) as linked_ids
from color_in_group
where organization_id = $1::bigint and color_id = any((select $2::text::bigint[])::bigint[])
    -- The range leads to the index by owner; without it, the planner may read all links of the organization.
    and color_id between $3::bigint and $4::bigint
union all
select 'color_language' as link, array_agg(color_id) as owner_ids, array_agg(language_id) as linked_ids
from color_language
where organization_id = $1::bigint and color_id = any((select $2::text::bigint[])::bigint[])
    -- The range leads to the index by owner; without it, the planner may read all links of the organization.
    and color_id between $3::bigint and $4::bigint;

-- 30. colors.unknown_references
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

-- 31. shared.rows_as_json(plain_records.insert)
--   $1::bigint organization_id
--   $2::jsonb items
--   $3::text source
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into color as stored (organization_id, id, name, user_defined_id, user_defined_id2,
        color_reference, color_note, state, source)
    select o.id, item.id, item."name", item."userDefinedId", item."userDefinedId2", item."colorReference",
        item."colorNote", coalesce(item."state", 'active'), $3::text
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as item(id bigint, "name" text, "userDefinedId" text,
        "userDefinedId2" text, "colorReference" text, "colorNote" text, "state" text)
    where o.id = $1::bigint
    returning stored.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- 32. shared.rows_and_images(shared.owners_of_links, shared.images(shared.next_version, colors.writables(shared.images_page(shared.returned_ids))))
--   $1::bigint organization_id
--   $2::jsonb pairs
-- The same, with forms of the records of these rows, as they were before the statement: all of it sees one snapshot. The numbers
-- are those of the subjects, the records, the parts and the versions, in the order of the forms.
with returned as (
    -- Owners of links to add, before that.
    select (sent.pair ->> 0)::bigint as id
    from jsonb_array_elements($2::jsonb) as sent(pair)
    where $1::bigint is not null
)
select image.numbers as ids, array[changed.rows] || image.forms as documents
from (select convert_to(json_agg(returned)::text, 'UTF8') as rows from returned) as changed
cross join (
    select
        array_agg(image.subject) || array_agg(image.record_id) || array_agg(image.part_id)
        || array_agg(image.version) as numbers,
        array_agg(convert_to(image.document, 'UTF8')) as forms
    from (
        -- Part of rows_and_images: forms of records.
        select 0::bigint as subject, form.page_order as record_id, 0::bigint as part_id, coalesce((
            select earlier.version from record_version earlier
            where earlier.organization_id = $1::bigint and earlier.collection = 'colors'
                and earlier.record_id = form.page_order and earlier.part_id = 0
            order by earlier.version desc
            limit 1
            ), 0
        ) + 1 as version, form.document
        from (
            with record as (
                select c.* from color c where c.organization_id = $1::bigint
            ),
            page as materialized (
                select record.*, record.id as page_order, null::text as sort_values
                from record
                where record.id = any(array(select returned."id" from returned))
            ),
            feature as (
                select multiple_language from organization where id = $1::bigint
            )
            select
                page_order,
                sort_values,
                '{"name":' || to_json(name)::text || ',"userDefinedId":'
                    || coalesce(to_json(case
                        when user_defined_id ~ '[^\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0001-\u001f\u007f-'
                    '\u009f\u00ad\u034f\u0600-'
                    '\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e\u200b\u'
                    '200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-'
                    '\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-'
                    '\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\u200c\u200d\u180b-'
                    '\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]' then user_defined_id end
                )::text, 'null'
                ) || ',"userDefinedId2":' || coalesce(to_json(user_defined_id2)::text, 'null')
                    || ',"colorReference":' || coalesce(to_json(color_reference)::text, 'null')
                    || ',"colorNote":' || coalesce(to_json(color_note)::text, 'null') || ',"state":"' || state
                    || '"'
                || ',"colorGroupIds":' || to_json(array(
                    select g.color_group_id from color_in_group g
                    where g.organization_id = $1::bigint and g.color_id = page.id order by 1
                ))
                || ',"languageIds":' || to_json(array(
                    select l.language_id from color_language l
                    where l.organization_id = $1::bigint and l.color_id = page.id
                        and feature.multiple_language order by 1
                ))
                || '}' as document
            from page
            cross join feature
        ) as form
    ) as image
) as image;

-- 33. shared.rows_as_json(links.add)
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

-- 34. shared.rows_and_images(shared.owners_of_links, shared.images(shared.next_version, shared.part(shared.images_page(shared.returned_ids), child_lists.join(color_translations.writable_translations))))
--   $1::bigint organization_id
--   $2::jsonb pairs
-- The same, with forms of the records of these rows, as they were before the statement: all of it sees one snapshot. The numbers
-- are those of the subjects, the records, the parts and the versions, in the order of the forms.
with returned as (
    -- Owners of links to add, before that.
    select (sent.pair ->> 0)::bigint as id, (sent.pair ->> 0)::bigint as "color-translations.form",
        (sent.pair ->> 1)::bigint as "color-translations.part"
    from jsonb_array_elements($2::jsonb) as sent(pair)
    where $1::bigint is not null
)
select image.numbers as ids, array[changed.rows] || image.forms as documents
from (select convert_to(json_agg(returned)::text, 'UTF8') as rows from returned) as changed
cross join (
    select
        array_agg(image.subject) || array_agg(image.record_id) || array_agg(image.part_id)
        || array_agg(image.version) as numbers,
        array_agg(convert_to(image.document, 'UTF8')) as forms
    from (
        -- Part of rows_and_images: forms of records.
        select 0::bigint as subject, form.page_order as record_id, 0::bigint as part_id, coalesce((
            select earlier.version from record_version earlier
            where earlier.organization_id = $1::bigint and earlier.collection = 'colors'
                and earlier.record_id = form.page_order and earlier.part_id = 0
            order by earlier.version desc
            limit 1
            ), 0
        ) + 1 as version, form.document
        from (
            with record as (
                select c.* from color c where c.organization_id = $1::bigint
            ),
            page as materialized (
                select record.*, record.id as page_order, null::text as sort_values
                from record
                where record.id = any(array(select returned."id" from returned))
            ),
            feature as (
                select multiple_language from organization where id = $1::bigint
            )
            select
                page_order,
                sort_values,
                '{"name":' || to_json(name)::text || ',"userDefinedId":'
                    || coalesce(to_json(case
                        when user_defined_id ~ '[^\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0001-\u001f\u007f-'
                    '\u009f\u00ad\u034f\u0600-'
                    '\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e\u200b\u'
                    '200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-'
                    '\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-'
                    '\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\u200c\u200d\u180b-'
                    '\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]' then user_defined_id end
                )::text, 'null'
                ) || ',"userDefinedId2":' || coalesce(to_json(user_defined_id2)::text, 'null')
                    || ',"colorReference":' || coalesce(to_json(color_reference)::text, 'null')
                    || ',"colorNote":' || coalesce(to_json(color_note)::text, 'null') || ',"state":"' || state
                    || '"'
                || ',"colorGroupIds":' || to_json(array(
                    select g.color_group_id from color_in_group g
                    where g.organization_id = $1::bigint and g.color_id = page.id order by 1
                ))
                || ',"languageIds":' || to_json(array(
                    select l.language_id from color_language l
                    where l.organization_id = $1::bigint and l.color_id = page.id
                        and feature.multiple_language order by 1
                ))
                || '}' as document
            from page
            cross join feature
        ) as form
        union all
        -- Part of rows_and_images: forms of records.
        select 1::bigint as subject, form.page_order as record_id, 0::bigint as part_id, coalesce((
            select earlier.version from record_version earlier
            where earlier.organization_id = $1::bigint and earlier.collection = 'color-translations'
                and earlier.record_id = form.page_order and earlier.part_id = 0
            order by earlier.version desc
            limit 1
            ), 0
        ) + 1 as version, form.document
        from (
            with record as (
                select owner.*, owner.id as color_id from color owner where owner.organization_id = $1::bigint
            ),
            page as (
                select record.*, record.id as page_order, null::text as sort_values
                from record
                where record.id = any(array(select returned."color-translations.form" from returned))
            )
            select page_order, sort_values, '[' || coalesce(translations, '') || ']' as document
            from page
            left join lateral (
                select string_agg('{"languageId":' || language_id::text || ',"colorName":'
                    || coalesce(to_json(color_name)::text, 'null') || '}', ','
                    order by entry.language_id) as translations
                from (
                    -- Part of writables: none without the multiple-language feature, which writes require.
                    select stored.* from color_language stored
                    where stored.organization_id = $1::bigint and stored.color_id = page.id
                        and (select multiple_language from organization where id = $1::bigint)
                ) as entry
            ) as translations_of_page on true
        ) as form
    ) as image
) as image;

-- 35. shared.rows_as_json(links.add), like 33 but for
--   $1::bigint organization_id
--   $2::jsonb pairs
--   -     insert into color_in_group as stored (organization_id, color_id, color_group_id)
--   +     insert into color_language as stored (organization_id, color_id, language_id)
--   -     returning stored.color_id as id
--   +     returning stored.color_id as id, color_id as "color-translations.form",
--   +         language_id as "color-translations.part"

-- 36. shared.collect_batch(colors.documents), like 26 but for
--   $1::bigint organization_id
--   $2::text = '{559,560}'
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- PUT /api/colors: 37, 29, 38, 36, 10, 11

-- 37. shared.lock_records(shared.id_is_sent)
--   $1::bigint organization_id
--   $2::text = '{559,560}'
select id, state as state, user_defined_id as key, null::bigint as within_id, null::text as fields from color
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;

-- 38. shared.rows_and_images(plain_records.update, shared.images(shared.next_version, colors.writables(shared.images_page(shared.returned_ids))))
--   $1::bigint organization_id
--   $2::jsonb items
-- The same, with forms of the records of these rows, as they were before the statement: all of it sees one snapshot. The numbers
-- are those of the subjects, the records, the parts and the versions, in the order of the forms.
with returned as (
    with sent as materialized (
        select *
            from jsonb_to_recordset($2::jsonb) as item(id bigint, "name" text, "userDefinedId" text,
                "userDefinedId2" text, "colorReference" text, "colorNote" text, "state" text)
    )
    update color as stored
    set name = item."name", user_defined_id = item."userDefinedId", user_defined_id2 = item."userDefinedId2",
        color_reference = item."colorReference", color_note = item."colorNote", state = item."state"
    from sent as item
    cross join lateral (
        select one.* from color one
        where one.organization_id = $1::bigint and one.id between item.id and item.id
        order by one.id
        limit 1
    ) as before
    -- The array makes the planner look the records up; with joins alone it may read all of the organization.
    where stored.organization_id = $1::bigint and stored.id = any(array(select id from sent))
        and stored.id = item.id
        and row(stored.name, stored.user_defined_id, stored.user_defined_id2, stored.color_reference,
            stored.color_note, stored.state) is distinct
            from row(item."name", item."userDefinedId", item."userDefinedId2", item."colorReference",
                item."colorNote", item."state")
    returning stored.id, row(stored.color_reference, stored.name, stored.user_defined_id) is distinct
        from row(before.color_reference, before.name, before.user_defined_id) as shown
)
select image.numbers as ids, array[changed.rows] || image.forms as documents
from (select convert_to(json_agg(returned)::text, 'UTF8') as rows from returned) as changed
cross join (
    select
        array_agg(image.subject) || array_agg(image.record_id) || array_agg(image.part_id)
        || array_agg(image.version) as numbers,
        array_agg(convert_to(image.document, 'UTF8')) as forms
    from (
        -- Part of rows_and_images: forms of records.
        select 0::bigint as subject, form.page_order as record_id, 0::bigint as part_id, coalesce((
            select earlier.version from record_version earlier
            where earlier.organization_id = $1::bigint and earlier.collection = 'colors'
                and earlier.record_id = form.page_order and earlier.part_id = 0
            order by earlier.version desc
            limit 1
            ), 0
        ) + 1 as version, form.document
        from (
            with record as (
                select c.* from color c where c.organization_id = $1::bigint
            ),
            page as materialized (
                select record.*, record.id as page_order, null::text as sort_values
                from record
                where record.id = any(array(select returned."id" from returned))
            ),
            feature as (
                select multiple_language from organization where id = $1::bigint
            )
            select
                page_order,
                sort_values,
                '{"name":' || to_json(name)::text || ',"userDefinedId":'
                    || coalesce(to_json(case
                        when user_defined_id ~ '[^\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0001-\u001f\u007f-'
                    '\u009f\u00ad\u034f\u0600-'
                    '\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e\u200b\u'
                    '200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-'
                    '\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-'
                    '\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\u200c\u200d\u180b-'
                    '\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]' then user_defined_id end
                )::text, 'null'
                ) || ',"userDefinedId2":' || coalesce(to_json(user_defined_id2)::text, 'null')
                    || ',"colorReference":' || coalesce(to_json(color_reference)::text, 'null')
                    || ',"colorNote":' || coalesce(to_json(color_note)::text, 'null') || ',"state":"' || state
                    || '"'
                || ',"colorGroupIds":' || to_json(array(
                    select g.color_group_id from color_in_group g
                    where g.organization_id = $1::bigint and g.color_id = page.id order by 1
                ))
                || ',"languageIds":' || to_json(array(
                    select l.language_id from color_language l
                    where l.organization_id = $1::bigint and l.color_id = page.id
                        and feature.multiple_language order by 1
                ))
                || '}' as document
            from page
            cross join feature
        ) as form
    ) as image
) as image;

-- PUT /api/colors?match=userDefinedId: 14, 15, 14, 39, 29, 38, 10, 11

-- 39. shared.lock_records(shared.key_is_sent)
--   $1::bigint organization_id
--   $2::text[] = ['RECORDED-1', 'RECORDED-2']
--   $3::bigint[] = []
select id, state as state, user_defined_id as key, null::bigint as within_id, null::text as fields from color
where organization_id = $1::bigint and id = any($3::bigint[] || array(
    select one.id from color one where one.organization_id = $1::bigint
        and one.user_defined_id = any($2::text[])
))
order by id
for no key update;

-- PATCH /api/colors?match=userDefinedId: 14, 39, 40, 38

-- 40. shared.collect_batch(colors.writables), like 27 but for
--   $1::bigint organization_id
--   $2::text = '{559,560}'
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- PATCH /api/colors: 41, 40, 38, 36, 10, 11

-- 41. shared.rows_as_json(shared.lock_records(shared.id_is_sent)), like 18 but for
--   $1::bigint organization_id
--   $2::text = '{559,560}'
--   -     select id, state as state, custom_id as key, null::bigint as within_id, null::text as fields from brand
--   +     select id, state as state, user_defined_id as key, null::bigint as within_id, null::text as fields
--   +         from color

-- PATCH /api/colors/559: 41, 27, 38, 26, 10, 11

-- DELETE /api/colors/559: 42, 43, 44, 45, 46, 26, 10, 11

-- 42. shared.lock_records(shared.id_is_sent)
--   $1::bigint organization_id
--   $2::text = '{559}'
select id, state as state, user_defined_id as key, null::bigint as within_id, null::text as fields from color
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for update;

-- 43. relations.uses
--   $1::bigint organization_id
--   $2::text ids
-- Ids that records of style refer to by a link, which may be the same table, with the number of live records, and with
-- the ids and own keys of the first ones.
select
    link.color_id as id,
    'colors of style items' as users,
    count(distinct record.id) filter (where record.state <> 'deleted'
        and (
            style_color_id is null
            or (
                select shown.state <> 'deleted' or shown.state_before is not null from style_color shown
                where shown.organization_id = $1::bigint and shown.id between style_color_id
                    and style_color_id
                order by shown.id
                limit 1
            )
)) as uses,
    array(
        select json_build_array(named.id, named.key)::text
        from (
            select distinct record.id, record.number as key
            from (
                select one.* from style_item_color one
                where one.organization_id = $1::bigint and one.color_id between link.color_id
                    and link.color_id
                order by one.color_id
                offset 0
            ) as other
            cross join lateral (
                select one.* from style one
                where one.organization_id = $1::bigint and one.id between (
                    select entry.style_id from style_item entry
                    where entry.organization_id = $1::bigint and entry.id = other.style_item_id
                ) and (
                    select entry.style_id from style_item entry
                    where entry.organization_id = $1::bigint and entry.id = other.style_item_id
                )
                order by one.id
                limit 1
            ) as record
            where record.state <> 'deleted'
            and (
                style_color_id is null
                or (
                    select shown.state <> 'deleted' or shown.state_before is not null from style_color shown
                    where shown.organization_id = $1::bigint and shown.id between style_color_id
                        and style_color_id
                    order by shown.id
                    limit 1
                )
            )
                        offset 0
        ) as named
        order by named.id
        limit 10
    ) as first
from style_item_color link
cross join lateral (
    select one.* from style one
    where one.organization_id = $1::bigint and one.id between (
        select entry.style_id from style_item entry
        where entry.organization_id = $1::bigint and entry.id = link.style_item_id
    ) and (
        select entry.style_id from style_item entry
        where entry.organization_id = $1::bigint and entry.id = link.style_item_id
    )
    order by one.id
    limit 1
) as record
where link.organization_id = $1::bigint and link.color_id = any((select $2::text::bigint[])::bigint[])
group by link.color_id
union all
-- Ids that records of style_color refer to by a link, which may be the same table, with the number of live records, and with
-- the ids and own keys of the first ones.
select
    link.color_id as id,
    'style colors' as users,
    count(distinct record.id) filter (where record.state <> 'deleted') as uses,
    array(
        select json_build_array(named.id, named.key)::text
        from (
            select distinct record.id,
                (select target.user_defined_id from color target where target.organization_id = $1::bigint
                    and target.id = record.color_id) as key
            from (
                select one.* from style_color one
                where one.organization_id = $1::bigint and one.color_id between link.color_id
                    and link.color_id
                order by one.color_id
                offset 0
            ) as other
            cross join lateral (
                select one.* from style_color one
                where one.organization_id = $1::bigint and one.id between other.id and other.id
                order by one.id
                limit 1
            ) as record
            where record.state <> 'deleted'
            offset 0
        ) as named
        order by named.id
        limit 10
    ) as first
from style_color link
cross join lateral (
    select one.* from style_color one
    where one.organization_id = $1::bigint and one.id between link.id and link.id
    order by one.id
    limit 1
) as record
where link.organization_id = $1::bigint and link.color_id = any((select $2::text::bigint[])::bigint[])
group by link.color_id;

-- 44. shared.rows_as_json(shared.filled_parts(child_lists.filled))
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Record changes of the parts of deleted and restored records, if they are not empty.
    select record.id as "color-translations" from color record
    where record.organization_id = $1::bigint and record.id = any((select $2::text::bigint[])::bigint[])
        and (
            select true from color_language part
            where part.organization_id = $1::bigint and part.color_id between record.id and record.id
            order by part.color_id
            limit 1
    )
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- 45. shared.rows_as_json(shared.filled_parts(color_swatches.filled))
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Record changes of the parts of deleted and restored records, if they are not empty.
    select record.id as "color-swatches" from color record
    where record.organization_id = $1::bigint and record.id = any((select $2::text::bigint[])::bigint[])
        and (record.hex is not null or record.image_url is not null)
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- 46. shared.rows_and_images(plain_records.delete, shared.images(shared.next_version, colors.writables(shared.images_page(shared.returned_ids))))
--   $1::bigint organization_id
--   $2::text ids
-- The same, with forms of the records of these rows, as they were before the statement: all of it sees one snapshot. The numbers
-- are those of the subjects, the records, the parts and the versions, in the order of the forms.
with returned as (
    update color set state = 'deleted'
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
    returning id, false as shown
)
select image.numbers as ids, array[changed.rows] || image.forms as documents
from (select convert_to(json_agg(returned)::text, 'UTF8') as rows from returned) as changed
cross join (
    select
        array_agg(image.subject) || array_agg(image.record_id) || array_agg(image.part_id)
        || array_agg(image.version) as numbers,
        array_agg(convert_to(image.document, 'UTF8')) as forms
    from (
        -- Part of rows_and_images: forms of records.
        select 0::bigint as subject, form.page_order as record_id, 0::bigint as part_id, coalesce((
            select earlier.version from record_version earlier
            where earlier.organization_id = $1::bigint and earlier.collection = 'colors'
                and earlier.record_id = form.page_order and earlier.part_id = 0
            order by earlier.version desc
            limit 1
            ), 0
        ) + 1 as version, form.document
        from (
            with record as (
                select c.* from color c where c.organization_id = $1::bigint
            ),
            page as materialized (
                select record.*, record.id as page_order, null::text as sort_values
                from record
                where record.id = any(array(select returned."id" from returned))
            ),
            feature as (
                select multiple_language from organization where id = $1::bigint
            )
            select
                page_order,
                sort_values,
                '{"name":' || to_json(name)::text || ',"userDefinedId":'
                    || coalesce(to_json(case
                        when user_defined_id ~ '[^\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0001-\u001f\u007f-'
                    '\u009f\u00ad\u034f\u0600-'
                    '\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e\u200b\u'
                    '200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-'
                    '\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-'
                    '\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\u200c\u200d\u180b-'
                    '\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]' then user_defined_id end
                )::text, 'null'
                ) || ',"userDefinedId2":' || coalesce(to_json(user_defined_id2)::text, 'null')
                    || ',"colorReference":' || coalesce(to_json(color_reference)::text, 'null')
                    || ',"colorNote":' || coalesce(to_json(color_note)::text, 'null') || ',"state":"' || state
                    || '"'
                || ',"colorGroupIds":' || to_json(array(
                    select g.color_group_id from color_in_group g
                    where g.organization_id = $1::bigint and g.color_id = page.id order by 1
                ))
                || ',"languageIds":' || to_json(array(
                    select l.language_id from color_language l
                    where l.organization_id = $1::bigint and l.color_id = page.id
                        and feature.multiple_language order by 1
                ))
                || '}' as document
            from page
            cross join feature
        ) as form
    ) as image
) as image;

-- DELETE /api/colors?ids=560: 42, 43, 44, 45, 46, 26, 10, 11

-- GET /api/colors/1/translations: 47

-- 47. shared.collect_batch(shared.part(shared.part_record, child_lists.join(child_lists.rows)))
--   $1::bigint organization_id
--   $2::bigint = 1
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select owner.*, owner.id as color_id from color owner where owner.organization_id = $1::bigint
    ),
    page as (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '[' || coalesce(translations, '') || ']' as document
    from page
    left join lateral (
        select string_agg('{"languageId":' || language_id::text || ',"colorName":'
            || coalesce(to_json(color_name)::text, 'null') || '}', ','
            order by entry.language_id) as translations
        from (
            select stored.language_id, stored.color_name
            from color_language as stored
            where stored.organization_id = $1::bigint and stored.color_id = page.id
        ) as entry
    ) as translations_of_page on true
) as page;

-- GET /api/colors/1/translations?form=writable: 48

-- 48. shared.collect_batch(shared.part(shared.part_record, child_lists.join(color_translations.writable_translations)))
--   $1::bigint organization_id
--   $2::bigint = 1
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select owner.*, owner.id as color_id from color owner where owner.organization_id = $1::bigint
    ),
    page as (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '[' || coalesce(translations, '') || ']' as document
    from page
    left join lateral (
        select string_agg('{"languageId":' || language_id::text || ',"colorName":'
            || coalesce(to_json(color_name)::text, 'null') || '}', ','
            order by entry.language_id) as translations
        from (
            -- Part of writables: none without the multiple-language feature, which writes require.
            select stored.* from color_language stored
            where stored.organization_id = $1::bigint and stored.color_id = page.id
                and (select multiple_language from organization where id = $1::bigint)
        ) as entry
    ) as translations_of_page on true
) as page;

-- PUT /api/colors/1/translations: 37, 49, 50, 51, 52, 53, 47, 7, 10, 11

-- 49. child_lists.stored
--   $1::bigint organization_id
--   $2::text owner_ids
-- An array per column takes less time than a row per child.
select array_agg(color_id), array_agg(language_id), array_agg(color_name)
from (
    select color_id, language_id, color_name
    from color_language
    where organization_id = $1::bigint and color_id = any((select $2::text::bigint[])::bigint[])
    order by language_id
) as stored;

-- 50. child_lists.unknown_languages
--   $1::bigint organization_id
--   $2::bigint[] ids
-- Languages are shared by all organizations. The organization is a parameter, as in every statement.
select sent.id from unnest($2::bigint[]) as sent(id)
where $1::bigint is not null and not exists (select 1 from language where language.id = sent.id);

-- 51. shared.rows_and_images(shared.owners_of_children, shared.images(shared.next_version, shared.part(shared.part_record, shared.images_page(shared.returned_ids))))
--   $1::bigint organization_id
--   $2::jsonb children
-- The same, with forms of the records of these rows, as they were before the statement: all of it sees one snapshot. The numbers
-- are those of the subjects, the records, the parts and the versions, in the order of the forms.
with returned as (
    -- Owners of children to insert, before that.
    select sent."ownerId" as id, sent."ownerId" as "colors.form"
    from jsonb_to_recordset($2::jsonb) as sent("ownerId" bigint)
    where $1::bigint is not null
)
select image.numbers as ids, array[changed.rows] || image.forms as documents
from (select convert_to(json_agg(returned)::text, 'UTF8') as rows from returned) as changed
cross join (
    select
        array_agg(image.subject) || array_agg(image.record_id) || array_agg(image.part_id)
        || array_agg(image.version) as numbers,
        array_agg(convert_to(image.document, 'UTF8')) as forms
    from (
        -- Part of rows_and_images: forms of records.
        select 0::bigint as subject, form.page_order as record_id, 0::bigint as part_id, coalesce((
            select earlier.version from record_version earlier
            where earlier.organization_id = $1::bigint and earlier.collection = 'color-translations'
                and earlier.record_id = form.page_order and earlier.part_id = 0
            order by earlier.version desc
            limit 1
            ), 0
        ) + 1 as version, form.document
        from (
            with record as (
                select owner.*, owner.id as color_id from color owner where owner.organization_id = $1::bigint
            ),
            page as (
                select record.*, record.id as page_order, null::text as sort_values
                from record
                where record.id = any(array(select returned."id" from returned))
            )
            select page_order, sort_values, '[' || coalesce(translations, '') || ']' as document
            from page
            left join lateral (
                select string_agg('{"languageId":' || language_id::text || ',"colorName":'
                    || coalesce(to_json(color_name)::text, 'null') || '}', ','
                    order by entry.language_id) as translations
                from (
                    -- Part of writables: none without the multiple-language feature, which writes require.
                    select stored.* from color_language stored
                    where stored.organization_id = $1::bigint and stored.color_id = page.id
                        and (select multiple_language from organization where id = $1::bigint)
                ) as entry
            ) as translations_of_page on true
        ) as form
        union all
        -- Part of rows_and_images: forms of records.
        select 1::bigint as subject, form.page_order as record_id, 0::bigint as part_id, coalesce((
            select earlier.version from record_version earlier
            where earlier.organization_id = $1::bigint and earlier.collection = 'colors'
                and earlier.record_id = form.page_order and earlier.part_id = 0
            order by earlier.version desc
            limit 1
            ), 0
        ) + 1 as version, form.document
        from (
            with record as (
                select c.* from color c where c.organization_id = $1::bigint
            ),
            page as materialized (
                select record.*, record.id as page_order, null::text as sort_values
                from record
                where record.id = any(array(select returned."colors.form" from returned))
            ),
            feature as (
                select multiple_language from organization where id = $1::bigint
            )
            select
                page_order,
                sort_values,
                '{"name":' || to_json(name)::text || ',"userDefinedId":'
                    || coalesce(to_json(case
                        when user_defined_id ~ '[^\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0001-\u001f\u007f-'
                    '\u009f\u00ad\u034f\u0600-'
                    '\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e\u200b\u'
                    '200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-'
                    '\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-'
                    '\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\u200c\u200d\u180b-'
                    '\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]' then user_defined_id end
                )::text, 'null'
                ) || ',"userDefinedId2":' || coalesce(to_json(user_defined_id2)::text, 'null')
                    || ',"colorReference":' || coalesce(to_json(color_reference)::text, 'null')
                    || ',"colorNote":' || coalesce(to_json(color_note)::text, 'null') || ',"state":"' || state
                    || '"'
                || ',"colorGroupIds":' || to_json(array(
                    select g.color_group_id from color_in_group g
                    where g.organization_id = $1::bigint and g.color_id = page.id order by 1
                ))
                || ',"languageIds":' || to_json(array(
                    select l.language_id from color_language l
                    where l.organization_id = $1::bigint and l.color_id = page.id
                        and feature.multiple_language order by 1
                ))
                || '}' as document
            from page
            cross join feature
        ) as form
    ) as image
) as image;

-- 52. shared.rows_as_json(child_lists.insert)
--   $1::bigint organization_id
--   $2::jsonb children
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into color_language as stored (organization_id, color_id, language_id, color_name)
    select o.id, sent."ownerId", sent.id, sent."colorName"
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as sent("ownerId" bigint, id bigint, "colorName" text)
    where o.id = $1::bigint
    returning stored.color_id as id, stored.color_id as "colors.form"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- 53. shared.rows_and_images(child_lists.remove, shared.images(shared.next_version, shared.part(shared.part_record, shared.images_page(shared.returned_ids))))
--   $1::bigint organization_id
--   $2::jsonb children
-- The same, with forms of the records of these rows, as they were before the statement: all of it sees one snapshot. The numbers
-- are those of the subjects, the records, the parts and the versions, in the order of the forms.
with returned as (
    with sent as materialized (
        select sent."ownerId", sent.id from jsonb_to_recordset($2::jsonb) as sent("ownerId" bigint, id bigint)
    )
    delete from color_language as stored
    using sent
    where stored.organization_id = $1::bigint and stored.color_id = any(array(select "ownerId" from sent))
        and stored.color_id = sent."ownerId" and stored.language_id = sent.id
    returning stored.color_id as id, stored.color_id as "colors.form"
)
select image.numbers as ids, array[changed.rows] || image.forms as documents
from (select convert_to(json_agg(returned)::text, 'UTF8') as rows from returned) as changed
cross join (
    select
        array_agg(image.subject) || array_agg(image.record_id) || array_agg(image.part_id)
        || array_agg(image.version) as numbers,
        array_agg(convert_to(image.document, 'UTF8')) as forms
    from (
        -- Part of rows_and_images: forms of records.
        select 0::bigint as subject, form.page_order as record_id, 0::bigint as part_id, coalesce((
            select earlier.version from record_version earlier
            where earlier.organization_id = $1::bigint and earlier.collection = 'color-translations'
                and earlier.record_id = form.page_order and earlier.part_id = 0
            order by earlier.version desc
            limit 1
            ), 0
        ) + 1 as version, form.document
        from (
            with record as (
                select owner.*, owner.id as color_id from color owner where owner.organization_id = $1::bigint
            ),
            page as (
                select record.*, record.id as page_order, null::text as sort_values
                from record
                where record.id = any(array(select returned."id" from returned))
            )
            select page_order, sort_values, '[' || coalesce(translations, '') || ']' as document
            from page
            left join lateral (
                select string_agg('{"languageId":' || language_id::text || ',"colorName":'
                    || coalesce(to_json(color_name)::text, 'null') || '}', ','
                    order by entry.language_id) as translations
                from (
                    -- Part of writables: none without the multiple-language feature, which writes require.
                    select stored.* from color_language stored
                    where stored.organization_id = $1::bigint and stored.color_id = page.id
                        and (select multiple_language from organization where id = $1::bigint)
                ) as entry
            ) as translations_of_page on true
        ) as form
        union all
        -- Part of rows_and_images: forms of records.
        select 1::bigint as subject, form.page_order as record_id, 0::bigint as part_id, coalesce((
            select earlier.version from record_version earlier
            where earlier.organization_id = $1::bigint and earlier.collection = 'colors'
                and earlier.record_id = form.page_order and earlier.part_id = 0
            order by earlier.version desc
            limit 1
            ), 0
        ) + 1 as version, form.document
        from (
            with record as (
                select c.* from color c where c.organization_id = $1::bigint
            ),
            page as materialized (
                select record.*, record.id as page_order, null::text as sort_values
                from record
                where record.id = any(array(select returned."colors.form" from returned))
            ),
            feature as (
                select multiple_language from organization where id = $1::bigint
            )
            select
                page_order,
                sort_values,
                '{"name":' || to_json(name)::text || ',"userDefinedId":'
                    || coalesce(to_json(case
                        when user_defined_id ~ '[^\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u0001-\u001f\u007f-'
                    '\u009f\u00ad\u034f\u0600-'
                    '\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180e\u200b\u'
                    '200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-'
                    '\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-'
                    '\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff\u200c\u200d\u180b-'
                    '\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]' then user_defined_id end
                )::text, 'null'
                ) || ',"userDefinedId2":' || coalesce(to_json(user_defined_id2)::text, 'null')
                    || ',"colorReference":' || coalesce(to_json(color_reference)::text, 'null')
                    || ',"colorNote":' || coalesce(to_json(color_note)::text, 'null') || ',"state":"' || state
                    || '"'
                || ',"colorGroupIds":' || to_json(array(
                    select g.color_group_id from color_in_group g
                    where g.organization_id = $1::bigint and g.color_id = page.id order by 1
                ))
                || ',"languageIds":' || to_json(array(
                    select l.language_id from color_language l
                    where l.organization_id = $1::bigint and l.color_id = page.id
                        and feature.multiple_language order by 1
                ))
                || '}' as document
            from page
            cross join feature
        ) as form
    ) as image
) as image;

-- PUT /api/colors/1/translations: 37, 49, 53, 47, 10, 11

-- PUT /api/colors/1/translations: 37, 49, 47

-- GET /api/color-translations?pageSize=2: 54

-- 54. shared.collect_page(shared.part(shared.part_record, child_lists.join(child_lists.rows)))
--   $1::bigint organization_id
select
    case when bytes <= 8388608 then substring(convert_to(documents, 'UTF8') for bytes) end as documents,
    coalesce(last_values, '[' || ids[2] || ']') as last_values, cardinality(ids) > 2 as has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order), '') as documents,
        greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[2 + 1], 0),
            0)::integer as bytes,
        array_agg(page_order order by page_order) as ids,
        max(sort_values) as last_values
    from (
        select page.*, octet_length(document) + 1 as size from (
            with record as (
                select owner.*, owner.id as color_id from color owner where owner.organization_id = $1::bigint
            ),
            page as (
                select record.*, record.color_id as page_order, null::text as sort_values
                from (
                    select * from record where record.state <> 'deleted' and (
                        select true from color_language part
                        where part.organization_id = $1::bigint and part.color_id between record.id
                            and record.id
                        order by part.color_id
                        limit 1
                    )
                    order by record.color_id limit 2 + 1 offset 0
                ) as record
            )
            select page_order, sort_values, '{"colorId":' || page.id || ',"translations":' || '['
                || coalesce(translations, '') || ']' || '}' as document
            from page
            left join lateral (
                select string_agg('{"languageId":' || language_id::text || ',"colorName":'
                    || coalesce(to_json(color_name)::text, 'null') || '}', ','
                    order by entry.language_id) as translations
                from (
                    select stored.language_id, stored.color_name
                    from color_language as stored
                    where stored.organization_id = $1::bigint and stored.color_id = page.id
                ) as entry
            ) as translations_of_page on true
        ) as page order by page_order
    ) as page
) as page;

-- GET /api/color-translations?pageSize=1&sort[0].property=colorId&sort[0].order=desc: 55

-- 55. shared.collect_page(shared.part(shared.part_record, child_lists.join(child_lists.rows))), like 54 but for
--   $1::bigint organization_id
--   -     coalesce(last_values, '[' || ids[2] || ']') as last_values, cardinality(ids) > 2 as has_more
--   +     coalesce(last_values, '[' || ids[1] || ']') as last_values, cardinality(ids) > 1 as has_more
--   -         greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[2 + 1], 0),
--   +         greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[1 + 1], 0),
--   -                 select record.*, record.color_id as page_order, null::text as sort_values
--   +                 select record.*, row_number() over (order by record.color_id desc) as page_order,
--   +                 case row_number() over (order by record.color_id desc)
--   +                     when 1 then json_build_array(record.color_id)::text end as sort_values
--   -                     order by record.color_id limit 2 + 1 offset 0
--   +                     order by record.color_id desc limit 1 + 1 offset 0

-- GET /api/color-translations?cursor=…: 56

-- 56. shared.collect_page(shared.part(shared.part_record, child_lists.join(child_lists.rows))), like 54 but for
--   $1::bigint organization_id
--   $2::bigint = 282
--   -     coalesce(last_values, '[' || ids[2] || ']') as last_values, cardinality(ids) > 2 as has_more
--   +     coalesce(last_values, '[' || ids[1] || ']') as last_values, cardinality(ids) > 1 as has_more
--   -         greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[2 + 1], 0),
--   +         greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[1 + 1], 0),
--   -                 select record.*, record.color_id as page_order, null::text as sort_values
--   +                 select record.*, row_number() over (order by record.color_id desc) as page_order,
--   +                 case row_number() over (order by record.color_id desc)
--   +                     when 1 then json_build_array(record.color_id)::text end as sort_values
--   -                     )
--   -                     order by record.color_id limit 2 + 1 offset 0
--   +                     ) and record.color_id < $2::bigint
--   +                     order by record.color_id desc limit 1 + 1 offset 0

-- PUT /api/color-translations: 37, 49, 57

-- 57. shared.collect_batch(shared.part(shared.part_record, child_lists.join(child_lists.rows))), like 47 but for
--   $1::bigint organization_id
--   $2::text = '{2,3}'
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])
--   -     select page_order, sort_values, '[' || coalesce(translations, '') || ']' as document
--   +     select page_order, sort_values, '{"colorId":' || page.id || ',"translations":' || '['
--   +         || coalesce(translations, '') || ']' || '}' as document

-- PATCH /api/color-translations: 41, 58, 49, 57

-- 58. shared.collect_batch(shared.part(shared.part_record, child_lists.join(color_translations.writable_translations))), like 48 but for
--   $1::bigint organization_id
--   $2::text = '{2,3}'
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])
--   -     select page_order, sort_values, '[' || coalesce(translations, '') || ']' as document
--   +     select page_order, sort_values, '{"colorId":' || page.id || ',"translations":' || '['
--   +         || coalesce(translations, '') || ']' || '}' as document


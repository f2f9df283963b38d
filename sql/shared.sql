-- Shared statements of all resources. Slots are filled only from the registry.

-- name: changed_owners(organization_id, ids)
-- Record changes of the parts of records, in lists within their entries, before them.
select id from {{table}} where organization_id = $1::bigint and id = any($2::bigint[]);

-- name: collect_all
select
    count(*) as found,
    case when coalesce(sum(octet_length(document)), 0) <= {{max_bytes}}
        then convert_to(coalesce(string_agg(document, ',' order by page_order), ''), 'UTF8')
    end as documents
from ({{documents}}) as page;

-- name: collect_batch
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= {{max_bytes}}
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from ({{documents}}) as page;

-- name: collect_cut_page
select
    convert_to(string_agg(document, ',' order by page_order), 'UTF8') as documents,
    (array_agg(sort_values order by page_order desc))[1] as last_values,
    count(*) < max(found) as has_more
from (
    select
        page.*,
        sum(octet_length(document)) over (order by page_order) as bytes,
        count(*) over () as found
    from ({{documents}}) as page
) as page
where page_order = 1 or (page_order <= {{size}} and bytes <= {{max_bytes}});

-- name: collect_page
select
    case when bytes <= {{max_bytes}} then substring(convert_to(documents, 'UTF8') for bytes) end as documents,
    coalesce(last_values, '[' || ids[{{size}}] || ']') as last_values, cardinality(ids) > {{size}} as has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order), '') as documents,
        greatest(sum(size) - 1 - coalesce((array_agg(size order by page_order))[{{size}} + 1], 0), 0)::integer as bytes,
        array_agg(page_order order by page_order) as ids,
        max(sort_values) as last_values
    from (select page.*, octet_length(document) + 1 as size from ({{documents}}) as page order by page_order) as page
) as page;

-- name: count
-- Begins like a documents statement, up to its page.
{{beginning}}{{page}}
)
select count(*) as total from page;

-- name: entry_is_sent
-- Own keys of the entries of records with the ids $3, of which each has few: they are read once for each record. "is true" keeps
-- the comparison a hashed one.
id = any(array(
    select child.id
    from (select distinct sent.id from unnest($3::bigint[]) as sent(id)) as owner
    cross join lateral (
        select one.id, one.{{within}} as within_id, one.{{key}} as key from {{table}} one
        where one.organization_id = $1::bigint and one.{{within}} between owner.id and owner.id
        order by one.{{within}}
        offset 0
    ) as child
    where (
        (child.key, child.within_id) in (
            select sent.key, sent.within_id from unnest($2::{{key_type}}[], $3::bigint[]) as sent(key, within_id)
        )
    ) is true
))

-- name: filled_parts(organization_id, ids)
-- Record changes of the parts of deleted and restored records, if they are not empty.
select record.id as "{{part}}" from {{table}} record
where record.organization_id = $1::bigint and record.id = any((select $2::text::bigint[])::bigint[])
    and {{filled}};

-- name: forms_of_locked(organization_id, ids)
-- Forms of records in the columns of lock_last, under the negative ids; after the numbers of their versions.
select -form.page_order as id, {{version}} || ' ' || form.document as document
from ({{forms}}) as form;

-- name: has_value
-- Condition of a page: records whose set of plain values has one that matches.
exists (select 1 from unnest(record.{{column}}) as entry(value) where {{condition}})

-- name: id_is_sent
id = any((select $2::text::bigint[])::bigint[])

-- name: images
-- Part of rows_and_images: forms of records.
select {{number}}::bigint as subject, form.page_order as record_id, 0::bigint as part_id, {{version}} as version, form.document
from ({{forms}}) as form

-- name: images_of_chosen
-- Part of rows_and_images: forms of chosen parts, of which an owner has several; null for those without rows. A full join is
-- never a nested loop, which would read the forms for each part; the offset keeps it full.
select {{number}}::bigint as subject, part.record_id, part.part_id, {{version}} as version, part.document
from (
    select chosen.record_id, chosen.part_id, form.document
    from (
        select distinct returned."{{column}}" as record_id, returned."{{part_column}}" as part_id from returned
    ) as chosen
    full join ({{forms}}) as form on form.record_id = chosen.record_id and form.part_id = chosen.part_id
    offset 0
) as part
where part.record_id is not null

-- name: images_of_parts
-- Part of rows_and_images: forms of all parts of owners.
select {{number}}::bigint as subject, part.record_id, part.part_id, {{version}} as version, part.document
from ({{forms}}) as part

-- name: images_page
select record.*, record.id as page_order, null::text as sort_values
from record
where record.id = any(array({{ids}}))

-- name: key_holders(organization_id, keys)
-- Live records that have the keys $2, where these are unique; with a parent, within records with the ids $3.
select id, {{key}} as key, {{within}} as within_id
from {{table}}
where organization_id = $1::bigint and {{key}} = any($2::{{key_type}}[]){{is_within}} and {{state}} <> 'deleted';

-- name: key_is_sent
id = any({{beside}}array(
    select one.id from {{table}} one where one.organization_id = $1::bigint and one.{{key}} = any($2::text[])
))

-- name: key_of_reference
(select target.{{key}} from {{target}} target where target.organization_id = $1::bigint and target.id = {{reference}})

-- name: key_within_is_sent
-- Own keys within records with the ids $3. The offset makes the planner look keys up one by one, in an order that the index of
-- own keys has (decision 0006), not read all records.
id = any(array(
    select found.id
    from unnest($2::{{key_type}}[], $3::bigint[]) as sent(key, within_id)
    cross join lateral (
        select one.id from {{table}} one
        where one.organization_id = $1::bigint and one.{{within}} = sent.within_id
            and one.{{key}} between sent.key and sent.key
        order by one.{{key}}, one.id
        offset 0
    ) as found
))

-- name: keys_by_id(organization_id, ids)
select id, {{key}} from {{table}}
where organization_id = $1::bigint and id = any($2::bigint[]);

-- name: live_by_key(organization_id, forms)
-- Live records with an own key in any of its normal forms: more than one, if it is ambiguous.
select id from {{table}}
where organization_id = $1::bigint and {{key}} = any($2::text[]) and {{state}} <> 'deleted'
order by id
limit 5;

-- name: live_by_key_within(organization_id, forms, parent_id)
-- The same of own keys within a parent.
select id from {{table}}
where organization_id = $1::bigint and {{within}} = $3::bigint and {{key}} = any($2::text[]) and {{state}} <> 'deleted'
order by id
limit 5;

-- name: lock_organization(organization_id)
select id from organization where id = $1::bigint for no key update;

-- name: lock_organization_first(organization_id)
-- The same, ahead of another statement: it returns no row.
with locked as materialized (
    select id from organization where id = $1::bigint for no key update
)
select id from locked where id is null;

-- name: lock_parents_first(organization_id, ids, parent_ids, keys)
-- Lock the parents of the records $2, and the parents $3, ahead of another statement: it returns no row. Records are named by the
-- own keys $4, too.
with locked as materialized (
    select parent.id from {{parent}} parent
    where parent.organization_id = $1::bigint and parent.id = any(array(
        select one.{{column}} from {{table}} one
        where one.organization_id = $1::bigint and one.id = any((select $2::text::bigint[])::bigint[])
        union all
        select one.{{column}} from {{table}} one
        where one.organization_id = $1::bigint
            and one.{{key}} = any(array(select jsonb_array_elements_text($4::text::jsonb)))
        union all
        select sent.id from unnest((select $3::text::bigint[])::bigint[]) as sent(id)
    ))
    order by parent.id
    for no key update
)
select id from locked where id is null;

-- name: lock_records(organization_id)
select id, {{state}} as state, {{key}} as key, {{within}} as within_id, {{fields}} as fields from {{table}}
where organization_id = $1::bigint and {{sent}}
order by id
{{strength}};

-- name: mark_deleted(organization_id, ids)
-- Records that the end of the transaction removes, once nothing refers to them.
update {{table}} set state = 'deleted'
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
returning id;

-- name: next_ids(table_name, count)
-- The offset makes PostgreSQL look up the sequence once.
select nextval(sequence.oid) as id
from (select pg_get_serial_sequence($1::text, 'id')::regclass as oid offset 0) as sequence
cross join generate_series(1, $2::integer);

-- name: next_ids_of_coordinator(table_name, count)
-- A worker node sends a statement about a table of the coordinator there, where it calls the sequence.
select nextval(pg_get_serial_sequence($1::text, 'id')) as id
from (select 1 from _yoyo_version limit 1) as coordinator
cross join generate_series(1, $2::integer);

-- name: next_version
coalesce((
    select earlier.version from record_version earlier
    where earlier.organization_id = $1::bigint and earlier.collection = '{{collection}}'
        and earlier.record_id = {{record_id}} and earlier.part_id = {{part_id}}
    order by earlier.version desc
    limit 1
), 0) + 1

-- name: order_of_all
record.id

-- name: owned_by_any(ids)
select id from {{table}} where id = any($1::bigint[]);

-- name: owners_of_children(organization_id, children)
-- Owners of children to insert, before that.
select sent."ownerId" as id{{also}}
from jsonb_to_recordset($2::jsonb) as sent("ownerId" bigint)
where $1::bigint is not null;

-- name: owners_of_links(organization_id, pairs)
-- Owners of links to add, before that.
select (sent.pair ->> 0)::bigint as id{{parts}}
from jsonb_array_elements($2::jsonb) as sent(pair)
where $1::bigint is not null;

-- name: part(organization_id)
with record as (
    {{record}}
),
page as (
    {{page}}
)
select page_order, sort_values, {{opening}}{{body}}{{closing}} as document
from page
{{joins}};

-- name: part_record
select owner.*, owner.id as {{owner}} from {{table}} owner where owner.organization_id = $1::bigint

-- name: records_by_key(organization_id)
select id, {{key}} as key, {{within}} as within_id, {{is_live}} as is_live from {{table}}
where organization_id = $1::bigint and {{sent}}
order by id
{{lock}};

-- name: referred(organization_id, ids)
-- Lock the referred records until the end of the transaction.
select id, {{is_live}} as is_live from {{table}}
where organization_id = $1::bigint and id = any($2::bigint[])
order by id
{{lock}};

-- name: referred_language(organization_id, ids)
-- The same for languages, which belong to no organization and are never deleted.
select id, true as is_live from language
where $1::bigint is not null and id = any($2::bigint[]);

-- name: referred_within(organization_id, ids)
-- The same for parts of records in {{within}}. Locks these records before, so that they are not deleted meanwhile. A full join
-- is never a nested loop, which may compare each part with each record; the offset keeps it full.
with owner as materialized (
    select owner.* from {{within}} owner
    where owner.organization_id = $1::bigint and owner.id = any(array(
        select part.{{within}}_id from {{table}} part where part.organization_id = $1::bigint and part.id = any($2::bigint[])
    ))
    order by owner.id
    {{lock}}
),
part as materialized (
    select part.* from {{table}} part
    where part.organization_id = $1::bigint and part.id = any($2::bigint[])
        and part.{{within}}_id = any(array(select owner.id from owner))
    order by part.{{within}}_id, part.id
    {{lock}}
)
select pair.*
from (
    select record.id, owner.id as owner_id, {{is_live}} as is_live
    from part as record
    full join owner on owner.id = record.{{within}}_id
    offset 0
) as pair
where pair.id is not null;

-- name: related_by_language
-- The same for languages, which belong to no organization.
record.id = any(array(
    select entry.{{owner}}
    from {{target}} target
    join {{rows}} entry on entry.organization_id = $1::bigint and entry.{{column}} = target.id
    where {{is_shown}} and {{condition}}
))

-- name: related_by_row
-- Condition of a page: records with an entry that matches. The array makes the planner begin with the
-- entries; with a join it may read all records until it has a page of matches.
record.id = any(array(
    select entry.{{owner}} from {{rows}} entry
    where entry.organization_id = $1::bigint and {{is_shown}} and {{condition}}
))

-- name: related_by_target
-- Condition of a page: records that refer to a matching record of {{target}}.
record.id = any(array(
    select entry.{{owner}}
    from {{target}} target
    join {{rows}} entry on entry.organization_id = $1::bigint and entry.{{column}} = target.id
    where target.organization_id = $1::bigint and {{is_shown}} and {{condition}}
))

-- name: returned_ids
select returned."{{column}}" from returned

-- name: rows_and_images
-- The same, with forms of the records of these rows, as they were before the statement: all of it sees one snapshot. The numbers
-- are those of the subjects, the records, the parts and the versions, in the order of the forms.
with returned as (
    {{statement}}
)
select image.numbers as ids, array[changed.rows] || image.forms as documents
from (select convert_to(json_agg(returned)::text, 'UTF8') as rows from returned) as changed
cross join (
    select
        array_agg(image.subject) || array_agg(image.record_id) || array_agg(image.part_id)
        || array_agg(image.version) as numbers,
        array_agg(convert_to(image.document, 'UTF8')) as forms
    from (
        {{images}}
    ) as image
) as image;

-- name: rows_as_json
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    {{statement}}
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- name: sent_ids
select unnest($2::text::bigint[])

-- name: shared_by_code(organization_id, codes)
-- Rows of a table that all organizations share. The organization is a parameter, as in every statement.
select id, lower(code) as key, null::bigint as within_id, true as is_live
from {{list}}
where $1::bigint is not null and lower(code) = any({{codes}});

-- name: shared_keys(organization_id, count)
-- Own keys that several live records have, with the ids of some of these.
select min({{key}}) as key, (array_agg(id order by id))[1:10] as ids
from {{table}}
where organization_id = $1::bigint and {{key}} ~ {{visible}} and {{state}} <> 'deleted'
group by normalize({{key}}), {{within}}
having count(*) > 1
order by min({{key}}), {{within}}
limit $2::integer;

-- name: shared_keys_by_id(organization_id, ids)
-- The organization is a parameter, as in every statement.
select id, lower({{key}}) from {{list}}
where $1::bigint is not null and id = any($2::bigint[]);

-- name: size_ranges_of_style(organization_id, ids)
select id, size_range_id from style where organization_id = $1::bigint and id = any($2::bigint[]);

-- name: size_ranges_of_style_color(organization_id, ids)
select
    style_color.id,
    (
        select style.size_range_id from style
        where style.organization_id = $1::bigint and style.id = style_color.style_id
    ) as size_range_id
from style_color
where style_color.organization_id = $1::bigint and style_color.id = any($2::bigint[]);

-- name: try_lock_organization(organization_id)
select id from organization where id = $1::bigint for no key update skip locked;

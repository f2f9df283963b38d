-- Care texts: statements of care instructions and care instruction materials (contract, Care instructions).
-- {{table}} is care_instruction or care_instruction_material.

-- name: delete(organization_id, ids)
update {{table}} set state = 'deleted'
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
returning id;

-- name: differing_translations(organization_id, items)
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
left join {{table}}_translation stored
    on stored.organization_id = $1::bigint and stored.{{table}}_id = item.id
        and stored.language_id = (translation.value ->> 'languageId')::bigint
left join language l on l.id = (translation.value ->> 'languageId')::bigint
where stored.id is null or stored.text <> translation.value ->> 'text'
order by item.n, translation.n;

-- name: documents(organization_id)
with record as (
    select t.* from {{table}} t where t.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    {{document_scalars}}
    || ',"properties":[],"languages":[' || coalesce(translation.documents, '') || ']}' as document
from page
left join lateral (
    select
        string_agg(
            '{"id":' || id || ',"languageId":' || language_id || ',"text":' || to_json(text) || '}',
            ',' order by language_id
        ) as documents
    from {{table}}_translation
    where organization_id = $1::bigint and {{table}}_id = page.id
) as translation on true;

-- name: insert(organization_id, items)
insert into {{table}} as stored (organization_id, id, position, {{new_columns}})
select
    o.id,
    item.id,
    coalesce(highest.position, 0) + row_number() over (partition by o.id order by item.id),
    {{new_values}}
from organization o
cross join jsonb_to_recordset($2::jsonb) as item(id bigint, {{new_types}})
left join lateral (
    select other.position from {{table}} other
    where other.organization_id = $1::bigint and other.organization_id = o.id
    order by other.position desc
    limit 1
) as highest on true
where o.id = $1::bigint
returning stored.id;

-- name: remove_translations(organization_id, items)
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
delete from {{table}}_translation stored
using item
where stored.organization_id = $1::bigint and stored.{{table}}_id = item.id
    and (stored.{{table}}_id, stored.language_id) not in (select id, language_id from wanted)
returning stored.{{table}}_id as id;

-- name: save_translations(organization_id, translations)
-- Each translation has an id, that of the stored one if there is one.
insert into {{table}}_translation as stored (organization_id, id, {{table}}_id, language_id, text)
select o.id, sent.id, sent."ownerId", sent."languageId", sent.text
from organization o
cross join jsonb_to_recordset($2::jsonb) as sent(id bigint, "ownerId" bigint, "languageId" bigint, text text)
where o.id = $1::bigint
on conflict (organization_id, {{table}}_id, language_id) do update set text = excluded.text
returning stored.{{table}}_id as id;

-- name: update(organization_id, items)
-- Omitted fields keep their values.
update {{table}} as stored
set {{assigned}}
from jsonb_to_recordset($2::jsonb) as item(id bigint, {{types}})
where stored.organization_id = $1::bigint and stored.id = item.id
    and row({{stored_values}}) is distinct from row({{sent_values}})
returning stored.id;

-- name: writables(organization_id)
with record as (
    select t.* from {{table}} t where t.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    {{writable_scalars}}
    || ',"languages":[' || coalesce(translation.documents, '') || ']}' as document
from page
left join lateral (
    select
        string_agg(
            '{"languageId":' || language_id || ',"text":' || to_json(text) || '}', ',' order by language_id
        ) as documents
    from {{table}}_translation
    where organization_id = $1::bigint and {{table}}_id = page.id
) as translation on true;

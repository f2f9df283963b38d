-- Translations of a color's name, which are also its links to languages (contract, Translations).

-- name: documents(organization_id)
with record as (
    select c.id from color c where c.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select page_order, sort_values, '[' || coalesce(linked.documents, '') || ']' as document
from page
left join lateral (
    {{entries}}
) as linked on true;

-- name: entries
-- Part of documents and writables.
select string_agg(
    '{"languageId":' || stored.language_id
    || ',"colorName":' || coalesce(to_json(stored.color_name)::text, 'null') || '}',
    ',' order by stored.language_id
) as documents
from color_language stored
where stored.organization_id = $1::bigint and stored.color_id = page.id;

-- name: remove(organization_id, color_id, language_ids)
-- Remove translations into other languages than $3.
delete from color_language
where organization_id = $1::bigint and color_id = $2::bigint and language_id <> all($3::bigint[])
returning color_id as id;

-- name: save(organization_id, color_id, entries)
insert into color_language as stored (organization_id, color_id, language_id, color_name)
select $1::bigint, $2::bigint, sent."languageId", sent."colorName"
from jsonb_to_recordset($3::jsonb) as sent("languageId" bigint, "colorName" text)
left join color_language same
    on same.organization_id = $1::bigint and same.color_id = $2::bigint
        and same.language_id = sent."languageId" and same.color_name is not distinct from sent."colorName"
where same.color_id is null
on conflict (organization_id, color_id, language_id) do update set color_name = excluded.color_name
returning color_id as id;

-- name: writables(organization_id)
-- Empty without the multiple-language feature, which writes require.
with record as (
    select c.id from color c where c.organization_id = $1::bigint
),
page as materialized (
    {{page}}
),
feature as (
    select multiple_language from organization where id = $1::bigint
)
select
    page_order,
    sort_values,
    '[' || case when feature.multiple_language then coalesce(linked.documents, '') else '' end || ']' as document
from page
cross join feature
left join lateral (
    {{entries}}
) as linked on true;

-- Translations of colors' names, which are also their links to languages (contract, Translations).

-- name: documents(organization_id)
with record as (
    select c.id, c.id as color_id, c.state from color c where c.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select page_order, sort_values, {{opening}}'[' || coalesce(linked.documents, '') || ']'{{closing}} as document
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

-- name: filled
exists (
    select 1 from color_language part
    where part.organization_id = $1::bigint and part.color_id = record.id
)

-- name: remove(organization_id, pairs)
-- Pairs are the ids of a color and a language.
with gone as materialized (
    select (pair ->> 0)::bigint as color_id, (pair ->> 1)::bigint as language_id
    from jsonb_array_elements($2::jsonb) as sent(pair)
)
delete from color_language as stored
using gone
where stored.organization_id = $1::bigint
    and stored.color_id = gone.color_id and stored.language_id = gone.language_id
returning stored.color_id as id, stored.color_id as colors;

-- name: save(organization_id, entries)
insert into color_language as stored (organization_id, color_id, language_id, color_name)
select o.id, sent."colorId", sent."languageId", sent."colorName"
from organization o
cross join jsonb_to_recordset($2::jsonb) as sent("colorId" bigint, "languageId" bigint, "colorName" text)
where o.id = $1::bigint
on conflict (organization_id, color_id, language_id) do update set color_name = excluded.color_name
returning stored.color_id as id;

-- name: stored(organization_id, color_ids)
-- A color without translations has a row, too.
select color.id as color_id, color.name, linked.language_id, linked.color_name
from color
left join color_language linked on linked.organization_id = $1::bigint and linked.color_id = color.id
where color.organization_id = $1::bigint and color.id = any((select $2::text::bigint[])::bigint[]);

-- name: tell_colors(organization_id, ids)
-- Record changes of the colors whose documents show other names.
select id as colors from color
where organization_id = $1::bigint and id = any($2::bigint[]);

-- name: writables(organization_id)
-- Empty without the multiple-language feature, which writes require.
with record as (
    select c.id, c.id as color_id, c.state from color c where c.organization_id = $1::bigint
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
    {{opening}}'['
    || case when feature.multiple_language then coalesce(linked.documents, '') else '' end
    || ']'{{closing}} as document
from page
cross join feature
left join lateral (
    {{entries}}
) as linked on true;

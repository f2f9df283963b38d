-- Colors, their color groups and their names in other languages (contract, Colors).

-- name: documents(organization_id)
with record as (
    select c.* from color c where c.organization_id = $1::bigint
),
page as materialized (
    {{page}}
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
        string_agg(d.document || coalesce(to_json(l.color_name)::text, chr(1)) || '}', ',' order by d.id) as documents
    from language_link l
    full join language_document d on d.id = l.language_id
    group by l.color_id
)
select
    page_order,
    sort_values,
    {{document_scalars}}
    || ',"colorGroups":[' || coalesce(g.documents, '')
    || '],"languageNames":[' || coalesce(replace(l.documents, chr(1), to_json(name)::text), '')
    || '],"properties":[]}' as document
from page
-- Full joins, which are never nested loops, aggregate once, whatever rows the planner expects.
full join color_groups g on g.color_id = page.id
full join color_languages l on l.color_id = page.id;

-- name: shown_in_style_skus(organization_id, ids)
select id from style_sku where organization_id = $1::bigint and color_id = any($2::bigint[]);

-- name: unknown_references(organization_id, color_group_ids, language_ids)
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

-- name: writables(organization_id)
with record as (
    select c.* from color c where c.organization_id = $1::bigint
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
    {{writable_scalars}}
    || ',"colorGroupIds":' || to_json(array(
        select g.color_group_id from color_in_group g
        where g.organization_id = $1::bigint and g.color_id = page.id order by 1
    ))
    || ',"languageIds":' || to_json(array(
        select l.language_id from color_language l
        where l.organization_id = $1::bigint and l.color_id = page.id and feature.multiple_language order by 1
    ))
    || '}' as document
from page
cross join feature;

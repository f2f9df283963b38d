-- The caller's own organization (contract, Organizations).

-- name: check(organization_id, items)
select item.n::integer as item, 'validation_error.unknown_reference' as type, '["defaultLanguageId"]' as path,
    'There is no such language.' as message
from organization o
cross join rows from (jsonb_to_recordset($2::jsonb) as ("defaultLanguageId" bigint)) with ordinality as item(language_id, n)
where o.id = $1::bigint and item.language_id <> all (array(select id from language));

-- name: documents(organization_id)
with record as (
    select
        o.*,
        o.id as organization_id,
        json_build_object('multipleLanguage', o.multiple_language, 'pro', o.pro, 'uniqueKeys', o.unique_keys) as features
    from organization o
    where o.id = $1::bigint
),
page as materialized (
    {{page}}
)
select page_order, sort_values, {{document_scalars}} || '}' as document
from page;

-- name: lock(organization_id, ids)
select id, 'active' as state, null::text as key, null::bigint as within_id, null::text as newer
from organization
where id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
{{strength}};

-- name: update(organization_id, items)
update organization as stored
set {{assigned}}
from jsonb_to_recordset($2::jsonb) as item(id bigint, {{types}})
where stored.id = $1::bigint and stored.id = item.id
    and row({{stored_values}}) is distinct from row({{sent_values}})
returning stored.id;

-- name: writables(organization_id)
with record as (
    select o.*, o.id as organization_id from organization o where o.id = $1::bigint
),
page as materialized (
    {{page}}
)
select page_order, sort_values, {{writable_scalars}} || '}' as document
from page;

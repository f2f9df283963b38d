-- Style custom fields (contract, Style custom fields), besides custom_fields.sql.

-- name: documents(organization_id)
with record as (
    select f.*, parent.name as parent_custom_field_name
    from style_custom_field f
    left join style_custom_field parent
        on parent.organization_id = $1::bigint and parent.id = f.parent_custom_field_id
    where f.organization_id = $1::bigint
),
page as materialized (
    {{page}}
),
brands as materialized (
    {{brands}}
),
groups as materialized (
    {{groups}}
),
categories as materialized (
    {{categories}}
)
select
    page_order,
    sort_values,
    {{document_scalars}}
    || ',"allowedValues":[' || coalesce(v.documents, '')
    || '],"associatedBrands":[' || coalesce(b.documents, '')
    || '],"associatedGroups":[' || coalesce(g.documents, '')
    || '],"associatedStyleCategories":[' || coalesce(c.documents, '')
    || '],"properties":[]}' as document
from page
left join lateral (
    select
        string_agg(
            '{"id":' || v.id
            || ',"value":' || to_json(v.value)
            || coalesce(',"userDefinedId":' || to_json(v.user_defined_id), '')
            || coalesce(',"parentAllowedValueId":' || v.parent_allowed_value_id, '')
            || ',"properties":[]}',
            ',' order by
                case when page.is_sort_by_allowed_value_id then v.user_defined_id else v.value end, v.id
        ) as documents
    from style_allowed_value v
    where v.organization_id = $1::bigint and v.custom_field_id = page.id
) as v on true
left join brands b on b.custom_field_id = page.id
left join groups g on g.custom_field_id = page.id
left join categories c on c.custom_field_id = page.id;

-- name: insert(organization_id, items)
insert into style_custom_field as stored (organization_id, id, position, {{new_columns}})
select
    o.id,
    item.id,
    coalesce(highest.position, 0) + row_number() over (partition by o.id order by item.id),
    {{new_values}}
from organization o
cross join jsonb_to_recordset($2::jsonb) as item(id bigint, {{new_types}})
left join lateral (
    select other.position from style_custom_field other
    where other.organization_id = $1::bigint and other.organization_id = o.id
    order by other.position desc
    limit 1
) as highest on true
where o.id = $1::bigint
returning stored.id;

-- name: shown_in_style_custom_fields(organization_id, ids)
select id from style_custom_field
where organization_id = $1::bigint and parent_custom_field_id = any($2::bigint[]);

-- name: update(organization_id, items)
update style_custom_field as stored
set {{assigned}}
from jsonb_to_recordset($2::jsonb) as item(id bigint, {{types}})
join style_custom_field before on before.organization_id = $1::bigint and before.id = item.id
where stored.organization_id = $1::bigint and stored.id = item.id
    and row({{stored_values}}) is distinct from row({{sent_values}})
returning stored.id, stored.name <> before.name as shown;

-- name: writables(organization_id)
with record as (
    select f.* from style_custom_field f where f.organization_id = $1::bigint
),
page as materialized (
    {{page}}
),
brands as materialized (
    {{brands}}
),
groups as materialized (
    {{groups}}
),
categories as materialized (
    {{categories}}
)
select
    page_order,
    sort_values,
    {{writable_scalars}}
    || ',"allowedValues":[' || coalesce(v.documents, '')
    || '],"associatedBrands":[' || coalesce(b.documents, '')
    || '],"associatedGroups":[' || coalesce(g.documents, '')
    || '],"associatedStyleCategories":[' || coalesce(c.documents, '') || ']}' as document
from page
left join lateral (
    select
        string_agg(
            '{"id":' || v.id
            || ',"value":' || to_json(v.value)
            || ',"userDefinedId":'
            || coalesce(case when v.user_defined_id ~ '\S' then to_json(v.user_defined_id)::text end, 'null')
            || ',"isDefaultValue":' || v.is_default_value
            || ',"parentAllowedValueId":' || coalesce(v.parent_allowed_value_id::text, 'null') || '}',
            ',' order by
                case when page.is_sort_by_allowed_value_id then v.user_defined_id else v.value end, v.id
        ) as documents
    from style_allowed_value v
    where v.organization_id = $1::bigint and v.custom_field_id = page.id
) as v on true
left join brands b on b.custom_field_id = page.id
left join groups g on g.custom_field_id = page.id
left join categories c on c.custom_field_id = page.id;

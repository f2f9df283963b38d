-- What styles are sold under.

-- name: documents
with record as (
    select b.* from brand b where b.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    '{"id":' || id
    || coalesce(',"customId":' || to_json(custom_id), '')
    || ',"name":' || to_json(name) || '}' as document
from page;

-- name: shown_in_style_custom_fields
select custom_field_id as id from custom_field_brand
where organization_id = $1::bigint and brand_id = any($2::bigint[]);

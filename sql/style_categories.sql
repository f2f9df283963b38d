-- What kinds of styles there are.

-- name: documents
with record as (
    select c.* from style_category c where c.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    '{"id":' || id
    || ',"name":' || to_json(name)
    || coalesce(',"userDefinedId":' || to_json(user_defined_id), '') || '}' as document
from page;

-- name: shown_in_style_custom_fields
select custom_field_id as id from custom_field_style_category
where organization_id = $1::bigint and style_category_id = any($2::bigint[]);

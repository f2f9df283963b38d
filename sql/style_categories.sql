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

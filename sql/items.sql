-- What styles are made of.

-- name: documents
with record as (
    select i.* from item i where i.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    '{"id":' || id
    || ',"number":' || to_json(number)
    || ',"name":' || to_json(name)
    || coalesce(',"itemCategoryId":' || item_category_id, '') || '}' as document
from page;

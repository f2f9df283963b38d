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

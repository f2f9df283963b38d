-- Languages of translations, shared by all organizations.

-- name: documents(organization_id)
with record as (
    select l.*, $1::bigint as organization_id from language l
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    '{"id":' || id || ',"name":' || to_json(name) || ',"code":' || to_json(code) || '}' as document
from page;

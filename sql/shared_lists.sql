-- Lists that all organizations share (contract, Reference lists).

-- name: documents(organization_id)
with record as (
    select l.*, $1::bigint as organization_id from {{list}} l
),
page as (
    {{page}}
)
select page_order, sort_values, {{rendered}} as document
from page;

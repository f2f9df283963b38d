-- What colors are grouped by (contract, Reference lists).

-- name: documents
with record as (
    select g.* from color_group g where g.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    '{"id":' || id
    || ',"name":' || to_json(name)
    || coalesce(',"userDefinedId":' || to_json(user_defined_id), '')
    || ',"state":"' || state || '"}' as document
from page;

-- name: shown_in_colors
select color_id as id from color_in_group
where organization_id = $1::bigint and color_group_id = any($2::bigint[]);

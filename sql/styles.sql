-- The styles that records refer to.

-- name: documents
with record as (
    select s.* from style s where s.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    '{"id":' || id || ',"number":' || to_json(number) || ',"name":' || to_json(name) || '}' as document
from page;

-- name: shown_in_style_relations
select id from style_relation
where organization_id = $1::bigint and related_style_id = any($2::bigint[]);

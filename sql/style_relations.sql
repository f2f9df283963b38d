-- Links between styles (contract, Style relations).

-- name: documents(organization_id)
with record as (
    select
        r.*,
        s.number as related_style_number,
        s.name as related_style_name
    from style_relation r
    join style s on s.organization_id = $1::bigint and s.id = r.related_style_id
    where r.organization_id = $1::bigint
),
page as (
    {{page}}
)
select
    page_order,
    sort_values,
    concat(
        '{"id":', id,
        ',"styleId":', style_id,
        ',"relatedStyleId":', related_style_id,
        ',"relatedStyleNumber":', to_json(related_style_number),
        ',"relatedStyleName":', to_json(related_style_name),
        '}'
    ) as document
from page;

-- name: key_texts(organization_id, ids)
select id, number from style where organization_id = $1::bigint and id = any($2::bigint[]);

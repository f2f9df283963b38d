-- Links between styles (contract, Style relations).

-- name: check_pairs(organization_id, items)
select
    item.n::integer as item,
    'conflict.duplicate' as type,
    '["relatedStyleId"]' as path,
    'The styles are related already.' as message
from rows from (
    jsonb_to_recordset($2::jsonb) as (id bigint, "styleId" bigint, "relatedStyleId" bigint)
) with ordinality as item(id, style_id, related_style_id, n)
join style_relation stored
    on stored.organization_id = $1::bigint and stored.style_id = item.style_id
        and stored.related_style_id = item.related_style_id
where stored.id <> all(array(
    select sent.id from jsonb_to_recordset($2::jsonb) as sent(id bigint)
))
order by item.n;

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
page as materialized (
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

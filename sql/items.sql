-- Items (contract, Items).

-- name: record
-- Styles are counted in an order that the indexes by item alone have (decision 0006). What deleted style colors hide does not
-- count.
select
    n.*,
    (
        select count(*)
        from (
            select line.style_id from style_item line
            where line.organization_id = $1::bigint and line.item_id between n.id and n.id
            union
            select line.style_id
            from style_item_color entry
            cross join lateral ({{style_id from style_item by entry.style_item_id}}) as line
            where entry.organization_id = $1::bigint and entry.item_id between n.id and n.id and {{is_shown}}
        ) as used
        cross join lateral ({{state from style by used.style_id}}) as style
        where style.state <> 'deleted'
    ) as used_in_styles
from item n
where n.organization_id = $1::bigint;

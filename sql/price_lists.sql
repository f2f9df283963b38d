-- Price lists (contract, Price lists).

-- name: record
-- Styles are looked up by record, in an order that the primary key alone has (decision 0006).
select
    n.*,
    (
        select count(*)
        from (
            select distinct p.style_id from style_price p
            where p.organization_id = $1::bigint and p.price_list_id = n.id
            offset 0
        ) as priced
        where (
            select true from style s
            where s.organization_id = $1::bigint and s.id between priced.style_id and priced.style_id and s.state <> 'deleted'
            order by s.id
            limit 1
        )
    ) as used_in_prices
from price_list n
where n.organization_id = $1::bigint;

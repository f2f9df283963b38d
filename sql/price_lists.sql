-- Price lists (contract, Price lists). Prices that deleted style colors hide count for nothing.

-- name: in_use(organization_id, ids)
-- Live styles with prices in price lists, which are looked up in an order that the index by price list alone has.
select
    gone.id,
    'styles' as users,
    count(*) as uses,
    (array_agg(json_build_array(style.id, style.number)::text order by style.id))[1:10] as first
from unnest((select $2::text::bigint[])::bigint[]) as gone(id)
cross join lateral (
    select distinct price.price_list_id, price.style_id
    from style_price price
    where price.organization_id = $1::bigint and price.price_list_id between gone.id and gone.id
    order by price.price_list_id, price.style_id
) as priced
join lateral ({{* from style by priced.style_id}}) as style on style.state <> 'deleted'
where (
    select true from style_price price
    where price.organization_id = $1::bigint and price.style_id = priced.style_id and price.price_list_id = gone.id
        and {{is_shown}}
    limit 1
)
group by gone.id;

-- name: record
-- Styles are looked up by record, in an order that the primary key alone has (decision 0006).
select
    n.*,
    (
        select count(*)
        from (
            select distinct p.price_list_id, p.style_id from style_price p
            where p.organization_id = $1::bigint and p.price_list_id between n.id and n.id
            order by p.price_list_id, p.style_id
        ) as priced
        where (
            select true from style s
            where s.organization_id = $1::bigint and s.id between priced.style_id and priced.style_id and s.state <> 'deleted'
            order by s.id
            limit 1
        )
        and (
            select true from style_price
            where style_price.organization_id = $1::bigint and style_price.style_id between priced.style_id and priced.style_id
                and style_price.price_list_id = priced.price_list_id and {{is_shown}}
            order by style_price.style_id, style_price.price_list_id
            limit 1
        )
    ) as used_in_prices
from price_list n
where n.organization_id = $1::bigint;

-- Effective prices of SKUs (contract, Effective prices). Fragments take the organization and a day, $1 and $3.

-- name: documents(organization_id, price_list_id, day)
with recursive few (styles, number) as (
    -- The styles with prices in the list, up to about 200: if there are more, SKUs are read by their ids.
    select '{}'::bigint[], 0
    union all
    select more.styles, few.number + cardinality(more.styles)
    from few
    cross join lateral (
        select array_agg(distinct style_id) as styles
        from (
            select entry.style_id from style_price entry
            where entry.organization_id = $1::bigint and entry.price_list_id = $2::bigint
                and entry.style_id > coalesce(few.styles[cardinality(few.styles)], 0)
            order by entry.style_id
            limit 100
        ) as entry
    ) as more
    where few.styles is not null and few.number < 200
),
record as (
    ({{of_few}})
    union all
    ({{of_many}})
),
page as materialized (
    {{page}}
),
alike as materialized (
    -- SKUs of a color without prices of their sizes cost the same: the first one is priced for all.
    select page.*, min(id) over (partition by style_color_id, own_size_id) as first_id from page
),
priced as materialized (
    select
        price.style_sku_id,
        ',"priceListId":' || price.price_list_id
        || ',"currencyCode":"' || price.currency_code
        || '","amount":' || price.amount
        || ',"compareAtAmount":' || coalesce(price.compare_at_amount::text, 'null')
        || ',"lowestAmount30Days":' || coalesce(price.lowest_amount30_days::text, 'null')
        || ',"validTo":' || coalesce(to_json(price.valid_to)::text, 'null')
        || ',"tiers":[' || coalesce(price.tiers, '') || ']}' as members
    from ({{priced}}) as price
)
select
    page_order,
    sort_values,
    '{"styleSkuId":' || page.id
    || ',"sku":' || to_json(page.sku)
    || ',"gtin":' || coalesce('"' || barcode.gtin || '"', 'null')
    || ',"styleId":' || page.style_id
    || priced.members as document
from priced
join alike as page on page.first_id = priced.style_sku_id
left join lateral (
    select b.barcode as gtin from barcode b
    where b.organization_id = $1::bigint and b.style_sku_id between page.id and page.id
        and b.is_primary and b.gtin14 is not null and b.state <> 'deleted'
    order by b.style_sku_id
    limit 1
) as barcode on true;

-- name: few
-- SKUs of the styles with prices, sorted before they are priced: a page prices few more than its own.
select sku.* from style_sku sku
where sku.organization_id = $1::bigint and sku.style_id = any(array(select unnest(styles) from few))
order by sku.id

-- name: is_effective
-- Condition of the price lists that make prices effective on a day.
list.state = 'active' and coalesce(list.valid_from <= $3::date, true) and coalesce(list.valid_to >= $3::date, true)

-- name: list
(select one.* from price_list one where one.organization_id = $1::bigint and one.id = $2::bigint)

-- name: matched
-- The SKUs {{skus}}, each under the keys of its four levels, with the prices of their styles in the price lists {{lists}}. Full
-- joins are never nested loops, which would compare each SKU with each price of its style; the offset keeps them full.
select
    sku.id as style_sku_id,
    list.currency_code,
    list.valid_from as list_valid_from,
    list.valid_to as list_valid_to,
    entry.*
from (
    select sku.id, sku.style_id, key.color_id, key.size_id
    from {{skus}} as sku
    cross join lateral (
        values
            (sku.style_color_id, sku.size_range_size_id),
            (sku.style_color_id, 0),
            (0, sku.size_range_size_id),
            (0, 0)
    ) as key(color_id, size_id)
    where key.size_id is not null
) as sku
full join (
    select entry.*, coalesce(entry.style_color_id, 0) as color_key, coalesce(entry.size_range_size_id, 0) as size_key
    from (select distinct sku.style_id from {{skus}} as sku) as style
    cross join lateral (
        -- In an order that the index by style has (decision 0006).
        select one.* from style_price one
        where one.organization_id = $1::bigint and one.style_id between style.style_id and style.style_id
            and one.price_list_id = any(array(select list.id from {{lists}} as list where {{is_effective}}))
        order by one.style_id
        offset 0
    ) as entry
    where coalesce(entry.valid_from <= $3::date, true)
        and (entry.minimum_quantity = 1 or coalesce(entry.valid_to >= $3::date, true))
) as entry on entry.style_id = sku.style_id and entry.color_key = sku.color_id and entry.size_key = sku.size_id
full join {{lists}} as list on list.id = entry.price_list_id
offset 0

-- name: price_lists(organization_id, price_list_id, key)
select id from price_list
where organization_id = $1::bigint and state <> 'deleted' and (id = $2::bigint or user_defined_id = $3::text)
order by id
limit 5;

-- name: priced
-- Effective prices of SKUs in price lists, by passes over all of the prices that may apply to them:
-- the level that wins; the days on which each price is effective, which are its own without those of more specific levels; the
-- days that have the amount of today; and the amounts of the 30 days before these. A price alone has no amount before it.
select
    style_sku_id,
    price_list_id,
    currency_code,
    amount,
    compare_at_amount,
    (
        select min(earlier.amount) from unnest(amounts, amount_days) as earlier(amount, days)
        where begun is not null and earlier.days && daterange(begun - 30, begun)
    ) as lowest_amount30_days,
    valid_to,
    tiers
from (
    select
        style_sku_id,
        price_list_id,
        max(currency_code) as currency_code,
        max(amount) filter (where is_price) as amount,
        max(compare_at_amount) filter (where is_price) as compare_at_amount,
        max(valid_to) filter (where is_price) as valid_to,
        array_agg(amount) filter (where days is not null) as amounts,
        array_agg(days) filter (where days is not null) as amount_days,
        upper(datemultirange(daterange(null, $3::date, '[]')) - range_agg(days) filter (where amount = price_amount)) as begun,
        string_agg(
            '{"minimumQuantity":' || minimum_quantity || ',"amount":' || amount || '}', ',' order by minimum_quantity
        ) filter (where minimum_quantity > 1 and level = price_level) as tiers
    from (
        select
            leveled.*,
            level = price_level and is_present as is_price,
            max(amount) filter (where level = price_level and is_present) over pair as price_amount,
            case when prices > 1 then
                own_days
                - coalesce(
                    range_agg(own_days) filter (where prices > 1) over (
                        pair order by level groups between unbounded preceding and 1 preceding
                    ),
                    '{}'
                )
            end as days
        from (
            select
                fitting.*,
                min(level) filter (where is_present) over pair as price_level,
                count(own_days) over pair as prices
            from (
                select
                    style_sku_id,
                    currency_code,
                    price_list_id,
                    style_color_id,
                    size_range_size_id,
                    minimum_quantity,
                    amount,
                    compare_at_amount,
                    valid_to,
                    minimum_quantity = 1 and coalesce(valid_to >= $3::date, true) as is_present,
                    case when minimum_quantity = 1 then
                        datemultirange(daterange(valid_from, valid_to, '[]') * daterange(list_valid_from, list_valid_to, '[]'))
                    end as own_days,
                    -- Color and size win, then the color, the size, the style.
                    case when style_color_id is null then 2 else 0 end
                    + case when size_range_size_id is null then 1 else 0 end as level
                from (
                    {{matched}}
                ) as matched
                where style_sku_id is not null and price_list_id is not null and currency_code is not null
            ) as fitting
            -- Sorted as for the next pass.
            window pair as (
                partition by style_sku_id, price_list_id order by level
                rows between unbounded preceding and unbounded following
            )
        ) as leveled
        window pair as (partition by style_sku_id, price_list_id)
    ) as price
    group by style_sku_id, price_list_id
    having bool_or(is_price)
) as priced

-- name: record
-- SKUs with a price in the list $2, and their size if a price of the size, of that day or earlier, applies to them.
select
    sku.id, sku.id as style_sku_id, sku.sku, sku.style_id, sku.style_color_id, price.own_size_id
from {{skus}}
cross join lateral (
    select max(entry.size_range_size_id) as own_size_id
    from style_price entry
    where entry.organization_id = $1::bigint and entry.style_id = sku.style_id and entry.price_list_id = $2::bigint
        and (entry.style_color_id is null or entry.style_color_id = sku.style_color_id)
        and (entry.size_range_size_id is null or entry.size_range_size_id = sku.size_range_size_id)
        and coalesce(entry.valid_from <= $3::date, true)
    having bool_or(entry.minimum_quantity = 1 and coalesce(entry.valid_to >= $3::date, true))
) as price
where {{is_chosen}} (select 1 from few where styles is null)
    and exists (
        select 1 from price_list list
        where list.organization_id = $1::bigint and list.id = $2::bigint and {{is_effective}}
    )
    and sku.organization_id = $1::bigint and sku.state <> 'deleted'
order by sku.id

-- name: skus
(select id, style_id, style_color_id, own_size_id as size_range_size_id from alike where id = first_id)

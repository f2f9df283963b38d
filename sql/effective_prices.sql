-- Effective prices of SKUs (contract, Effective prices). The fragments take an SKU with style, style color and size, a price
-- list, and a day: rows {{sku}} and {{list}}, and SQL {{day}}.

-- name: documents(organization_id, price_list_id, day)
with record as (
    select
        sku.id, sku.id as style_sku_id, sku.sku, sku.style_id, sku.style_color_id, sku.size_range_size_id,
        list.id as price_list_id, list.valid_from as list_from, list.valid_to as list_to, list.currency_code,
        price.level, price.amount, price.compare_at_amount, price.valid_to
    from price_list list
    cross join style_sku sku
    cross join lateral (
        {{price}}
    ) as price
    where list.organization_id = $1::bigint and list.id = $2::bigint and {{is_effective}}
        and sku.organization_id = $1::bigint and sku.state <> 'deleted'
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    '{"styleSkuId":' || page.id
    || ',"sku":' || to_json(page.sku)
    || ',"gtin":' || coalesce(to_json(barcode.gtin)::text, 'null')
    || ',"styleId":' || page.style_id
    || ',"priceListId":' || page.price_list_id
    || ',"currencyCode":"' || page.currency_code
    || '","amount":' || page.amount
    || ',"compareAtAmount":' || coalesce(page.compare_at_amount::text, 'null')
    || ',"lowestAmount30Days":' || coalesce(lowest.amount::text, 'null')
    || ',"validTo":' || coalesce(to_json(page.valid_to)::text, 'null')
    || ',"tiers":[' || coalesce(tiers.documents, '') || ']}' as document
from page
left join lateral (
    select b.barcode as gtin from barcode b
    where b.organization_id = $1::bigint and b.style_sku_id between page.id and page.id
        and b.is_primary and b.gtin14 is not null and b.state <> 'deleted'
    order by b.style_sku_id
    limit 1
) as barcode on true
left join lateral (
    {{lowest}}
) as lowest on true
left join lateral (
    {{tiers}}
) as tiers on true;

-- name: fits
-- Condition of the prices that an SKU can have in a price list, of any day and quantity; the price is a row named entry.
entry.style_id = {{sku}}.style_id and entry.price_list_id = {{list}}
and (entry.style_color_id is null or entry.style_color_id = {{sku}}.style_color_id)
and (entry.size_range_size_id is null or entry.size_range_size_id = {{sku}}.size_range_size_id)

-- name: is_effective
-- Condition of the price lists that make prices effective on a day.
{{list}}.state = 'active' and coalesce({{list}}.valid_from <= {{day}}, true) and coalesce({{list}}.valid_to >= {{day}}, true)

-- name: level
-- Order in which prices win: of color and size, of the color, of the size, of the style.
case when entry.style_color_id is null then 2 else 0 end + case when entry.size_range_size_id is null then 1 else 0 end

-- name: lowest
-- The lowest amount in the 30 days before the present amount began, {{amount}}. An amount is effective on the days of its
-- prices, without those of prices of more specific levels; on days outside the period {{first}} to {{last}} of the price list none is.
with own as (
    select
        {{level}} as level,
        entry.amount,
        range_agg(daterange(entry.valid_from, entry.valid_to, '[]') * daterange({{first}}, {{last}}, '[]')) as days
    from style_price entry
    where entry.organization_id = $1::bigint and {{fits}}
        and entry.minimum_quantity = 1
    group by 1, 2
),
effective as (
    select own.amount, own.days - coalesce(specific.days, '{}') as days
    from own
    left join (
        select levels.level, range_agg(days.day) as days
        from (values (1), (2), (3)) as levels(level)
        join own on own.level < levels.level
        cross join lateral unnest(own.days) as days(day)
        group by levels.level
    ) as specific on specific.level = own.level
),
begun as (
    select lower(run.days) as day
    from (
        select unnest(range_agg(days.day)) as days
        from effective
        cross join lateral unnest(effective.days) as days(day)
        where effective.amount = {{amount}}
    ) as run
    where run.days @> {{day}}
)
select min(effective.amount) as amount
from effective
join begun on begun.day is not null and effective.days && daterange(begun.day - 30, begun.day)

-- name: price
-- The price of one piece, with its level.
select {{level}} as level, entry.amount, entry.compare_at_amount, entry.valid_to
from style_price entry
where entry.organization_id = $1::bigint and {{fits}}
    and entry.minimum_quantity = 1
    and coalesce(entry.valid_from <= {{day}}, true) and coalesce(entry.valid_to >= {{day}}, true)
order by 1
limit 1

-- name: price_lists(organization_id, price_list_id, key)
select id from price_list
where organization_id = $1::bigint and state <> 'deleted' and (id = $2::bigint or user_defined_id = $3::text)
order by id
limit 5;

-- name: tiers
-- Prices of more pieces, of the level {{of_level}}, as JSON joined by commas.
select
    string_agg(
        '{"minimumQuantity":' || entry.minimum_quantity || ',"amount":' || entry.amount || '}', ',' order by entry.minimum_quantity
    ) as documents
from style_price entry
where entry.organization_id = $1::bigint and {{fits}}
    and entry.minimum_quantity > 1 and {{level}} = {{of_level}}
    and coalesce(entry.valid_from <= {{day}}, true) and coalesce(entry.valid_to >= {{day}}, true)

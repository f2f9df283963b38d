select
    sku.id as "styleSkuId",
    sku.sku,
    (
        select barcode.barcode from barcode
        where barcode.organization_id = $1 and barcode.style_sku_id = sku.id and barcode.is_primary
            and barcode.gtin14 is not null and barcode.state <> 'deleted'
    ) as gtin,
    sku.style_id as "styleId",
    list.id as "priceListId",
    list.currency_code as "currencyCode",
    price.amount::float8 as amount,
    price.compare_at_amount::float8 as "compareAtAmount",
    lowest.amount::float8 as "lowestAmount30Days",
    price.valid_to as "validTo",
    tiers.tiers
from price_list list
join style_sku sku on sku.organization_id = $1 and sku.state <> 'deleted' and sku.id > $4
cross join lateral (
    -- The level of each price: of color and size, of the color, of the size, of the style.
    select
        (style_color_id is null)::integer * 2 + (size_range_size_id is null)::integer as level,
        amount,
        compare_at_amount,
        valid_to
    from style_price
    where organization_id = $1 and style_id = sku.style_id and price_list_id = list.id
        and (style_color_id is null or style_color_id = sku.style_color_id)
        and (size_range_size_id is null or size_range_size_id = sku.size_range_size_id)
        and minimum_quantity = 1
        and (valid_from is null or valid_from <= $3) and (valid_to is null or valid_to >= $3)
    order by 1
    limit 1
) as price
cross join lateral (
    select coalesce(
        json_agg(
            json_build_object('minimumQuantity', minimum_quantity, 'amount', amount) order by minimum_quantity
        ),
        '[]'
    ) as tiers
    from style_price
    where organization_id = $1 and style_id = sku.style_id and price_list_id = list.id
        and (style_color_id is null or style_color_id = sku.style_color_id)
        and (size_range_size_id is null or size_range_size_id = sku.size_range_size_id)
        and (style_color_id is null)::integer * 2 + (size_range_size_id is null)::integer = price.level
        and minimum_quantity > 1
        and (valid_from is null or valid_from <= $3) and (valid_to is null or valid_to >= $3)
) as tiers
cross join lateral (
    with own as materialized (
        select
            (style_color_id is null)::integer * 2 + (size_range_size_id is null)::integer as level,
            amount,
            daterange(valid_from, valid_to, '[]') * daterange(list.valid_from, list.valid_to, '[]') as days
        from style_price
        where organization_id = $1 and style_id = sku.style_id and price_list_id = list.id
            and (style_color_id is null or style_color_id = sku.style_color_id)
            and (size_range_size_id is null or size_range_size_id = sku.size_range_size_id)
            and minimum_quantity = 1 and (valid_from is null or valid_from <= $3)
    ),
    effective as materialized (
        -- A price counts on its days without those of prices of more specific levels.
        select
            own.amount,
            datemultirange(own.days) - coalesce(
                (select range_agg(other.days) from own other where other.level < own.level), '{}'
            ) as days
        from own
        where (select count(*) from own) > 1
    ),
    present as (
        -- The unbroken run of days with the amount of today.
        select lower(run) as begun
        from (
            select unnest(range_agg(days)) as run from effective where effective.amount = price.amount
        ) as runs
        where run @> $3::date
    )
    select min(effective.amount) as amount
    from effective
    join present on effective.days && daterange(present.begun - 30, present.begun)
    where present.begun is not null
) as lowest
where list.organization_id = $1 and list.id = $2 and list.state = 'active'
    and (list.valid_from is null or list.valid_from <= $3) and (list.valid_to is null or list.valid_to >= $3)
order by sku.id
limit $5

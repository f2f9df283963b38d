-- Prices of styles in price lists (contract, Prices of styles).

-- name: documents(organization_id, style_id)
with record as (
    select list.id, list.id as price_list_id
    from style
    cross join price_list list
    where style.organization_id = $1::bigint and style.id = $2::bigint and list.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select page_order, sort_values, {{opening}} || coalesce(prices.documents, '') || ']}' as document
from page
left join lateral (
    select string_agg({{price}}, ',' order by {{order}}) as documents
    from style_price entry
    where entry.organization_id = $1::bigint and entry.style_id = $2::bigint and entry.price_list_id = page.id
        and {{is_shown}}
) as prices on true;

-- name: documents_by_owner(organization_id)
with record as (
    select s.*, s.id as style_id from style s where s.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select page_order, sort_values, '{"styleId":' || page.id || ',"priceLists":[' || coalesce(lists.documents, '') || ']}' as document
from page
left join lateral (
    select
        string_agg(
            '{"priceListId":' || list.price_list_id || ',"prices":[' || list.documents || ']}', ',' order by list.price_list_id
        ) as documents
    from (
        select price_list_id, string_agg({{price}}, ',' order by {{order}}) as documents
        from style_price entry
        where entry.organization_id = $1::bigint and entry.style_id = page.id and {{is_shown}}
        group by price_list_id
    ) as list
) as lists on true;

-- name: filled
(
    select true from style_price part
    where part.organization_id = $1::bigint and part.style_id between record.id and record.id and {{is_shown}}
    order by part.style_id
    limit 1
)

-- name: images
-- Part of rows_and_images: forms of the price lists of styles.
select
    entry.style_id as record_id,
    entry.price_list_id as part_id,
    '{"prices":[' || coalesce(string_agg({{price}}, ',' order by {{order}}) filter (where {{is_shown}}), '') || ']}' as document
from style_price entry
where entry.organization_id = $1::bigint and entry.style_id = any(array({{ids}}))
group by entry.style_id, entry.price_list_id

-- name: insert(organization_id, prices)
insert into style_price as stored (
    organization_id, id, style_id, price_list_id, style_color_id, size_range_size_id, minimum_quantity, amount,
    compare_at_amount, valid_from, valid_to
)
select
    o.id, sent.id, sent."styleId", sent."priceListId", sent."styleColorId", sent."sizeRangeSizeId", sent."minimumQuantity",
    sent.amount, sent."compareAtAmount", sent."validFrom", sent."validTo"
from organization o
cross join jsonb_to_recordset($2::jsonb) as sent(
    id bigint, "styleId" bigint, "priceListId" bigint, "styleColorId" bigint, "sizeRangeSizeId" bigint,
    "minimumQuantity" bigint, amount numeric, "compareAtAmount" numeric, "validFrom" date, "validTo" date
)
where o.id = $1::bigint
returning stored.style_id as id;

-- name: listed
-- Condition of the price lists in which the style $2 has prices.
exists (
    select 1 from style_price part
    where part.organization_id = $1::bigint and part.style_id = $2::bigint and part.price_list_id = record.id and {{is_shown}}
)

-- name: lists_of(organization_id, style_ids)
-- Return the price lists in which the styles $2 have prices that are shown.
select style_id, array_agg(distinct price_list_id) as price_list_ids
from style_price
where organization_id = $1::bigint and style_id = any($2::bigint[]) and {{is_shown}}
group by style_id;

-- name: lock(organization_id, price_list_ids, style_id)
-- Lock the style, so that its writers take turns, and the price list, so that it stays.
select list.id, 'active' as state, style.number as key, null::bigint as within_id
from style
cross join price_list list
where style.organization_id = $1::bigint and style.id = $3::bigint
    and list.organization_id = $1::bigint and list.id = any((select $2::text::bigint[])::bigint[])
    and list.state <> 'deleted'
for no key update of style
for key share of list;

-- name: price_list_by_key(organization_id, forms, style_id)
-- Every style can have prices in each price list.
select id from price_list
where organization_id = $1::bigint and user_defined_id = any($2::text[]) and state <> 'deleted' and $3::bigint is not null
order by id
limit 5;

-- name: price_lists(organization_id, price_list_ids)
select list.id, list.state, list.type, list.currency_code, currency.minor_units
from price_list list
join currency on currency.code = list.currency_code
where list.organization_id = $1::bigint and list.id = any($2::bigint[])
order by list.id
for key share of list;

-- name: priced(organization_id, prices)
-- Price lists of prices to insert, before that.
select sent."styleId" as id, sent."priceListId" as part
from jsonb_to_recordset($2::jsonb) as sent("styleId" bigint, "priceListId" bigint)
where $1::bigint is not null;

-- name: remove(organization_id, ids)
delete from style_price where organization_id = $1::bigint and id = any($2::bigint[])
returning style_id as id, price_list_id as part;

-- name: stored(organization_id, style_ids, price_list_ids)
-- Return the prices of the styles $2 in the price lists $3, in pairs; those of deleted style colors, too.
select
    sent.style_id,
    sent.price_list_id,
    entry.id,
    entry.style_color_id as "styleColorId",
    entry.size_range_size_id as "sizeRangeSizeId",
    entry.minimum_quantity as "minimumQuantity",
    entry.amount::text as amount,
    entry.compare_at_amount::text as "compareAtAmount",
    to_char(entry.valid_from, 'YYYY-MM-DD') as "validFrom",
    to_char(entry.valid_to, 'YYYY-MM-DD') as "validTo",
    entry.is_shown
from unnest($2::bigint[], $3::bigint[]) as sent(style_id, price_list_id)
cross join lateral (
    select stored.*, {{is_shown}} as is_shown
    from style_price stored
    where stored.organization_id = $1::bigint and stored.style_id = sent.style_id
        and stored.price_list_id = sent.price_list_id
    offset 0
) as entry;

-- name: tell_price_lists(organization_id, pairs)
-- Record changes of the price lists that count the styles of the pairs $2 from now on, or no longer.
select (sent.pair ->> 1)::bigint as "price-lists"
from jsonb_array_elements($2::jsonb) as sent(pair)
join lateral ({{* from style by (sent.pair ->> 0)::bigint}}) as style on style.state <> 'deleted';

-- name: unknown_parent(organization_id, style_id)
select case when not exists (select 1 from style where organization_id = $1::bigint and id = $2::bigint) then 'styleId' end as parameter;

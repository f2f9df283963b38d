-- Barcodes (contract, Barcodes). Columns of SKUs, whose documents show the primary GTIN, report them as changed.

-- name: barcodes_of(organization_id, ids, sku_ids)
-- The barcodes $2, and those of the SKUs $3, with the style of their SKU. SKUs and styles are looked up by record, in an
-- order that the index by id alone has (decision 0006).
select b.id, b.style_sku_id, b.is_primary, b.state, b.type, sku.sku, sku.status
from barcode b
left join lateral (
    select
        s.sku,
        (
            select style.status from style
            where style.organization_id = $1::bigint and style.id between s.style_id and s.style_id
            order by style.id
            limit 1
        ) as status
    from style_sku s
    where s.organization_id = $1::bigint and s.id between b.style_sku_id and b.style_sku_id
    order by s.id
    limit 1
) as sku on true
where b.organization_id = $1::bigint and b.id = any($2::bigint[] || array(
    select other.id from barcode other
    where other.organization_id = $1::bigint and other.style_sku_id = any($3::bigint[])
));

-- name: check_numbers(organization_id, items)
-- Reports numbers of new items that another record has, deleted or not, or an earlier item. A full join is never a nested
-- loop, which may read all numbers for each item; the offset keeps it full.
with item as materialized (
    select sent.n, sent.barcode, case when sent.type <> 'internal' then lpad(sent.barcode, 14, '0') end as gtin14
    from rows from (
        jsonb_to_recordset($2::jsonb) as (barcode text, type text)
    ) with ordinality as sent(barcode, type, n)
)
select
    stored.n::integer as item,
    'conflict.duplicate' as type,
    '["barcode"]' as path,
    'Barcode ' || stored.id || case stored.state when 'deleted' then ' (deleted) has this number. Restore it instead.'
        else ' has this number.' end as message
from (
    select item.n, stored.id, stored.state
    from item
    full join (
        select b.id, b.state, b.gtin14 as number, true as is_gtin from barcode b
        where b.organization_id = $1::bigint and b.gtin14 = any(array(select item.gtin14 from item))
        union all
        select b.id, b.state, b.barcode, false from barcode b
        where b.organization_id = $1::bigint and b.gtin14 is null
            and b.barcode = any(array(select item.barcode from item where item.gtin14 is null))
    ) as stored on stored.number = coalesce(item.gtin14, item.barcode) and stored.is_gtin = (item.gtin14 is not null)
    offset 0
) as stored
where stored.n is not null and stored.id is not null
union all
select later.n::integer, 'validation_error.duplicate', '["barcode"]', 'Another item of this request has this number.'
from (
    select n, row_number() over (partition by coalesce(gtin14, barcode), gtin14 is null order by n) as occurrence from item
) as later
where later.occurrence > 1;

-- name: check_ranges(organization_id, items)
-- Reports ranges of new items that do not exist or are deleted, and those without the number. They stay locked.
with item as materialized (
    select sent.*
    from rows from (
        jsonb_to_recordset($2::jsonb) as (barcode text, type text, "barcodeRangeId" bigint, imports boolean)
    ) with ordinality as sent(barcode, type, range_id, imports, n)
    where sent.range_id is not null
),
range as materialized (
    select r.id, r.state, r.company_prefix, r.first_reference, r.last_reference, r.type
    from barcode_range r
    where r.organization_id = $1::bigint and r.id = any(array(select item.range_id from item))
    order by r.id
    for key share
)
select
    item.n::integer as item,
    'validation_error.' || failure.type as type,
    '["barcodeRangeId"]' as path,
    failure.message
from item
left join range on range.id = item.range_id
cross join lateral (
    select case range.type when 'gtin13' then 12 else 11 end - length(range.company_prefix) as digits
) as size
join (
    values
        ('unknown_reference', 'There is no such barcode range.'),
        ('invalid_value', 'The range does not have this number.')
) as failure(type, message) on failure.type = case
    when range.id is null or range.state = 'deleted' and not item.imports then 'unknown_reference'
    when item.type = 'internal' then 'invalid_value'
    when substr(lpad(item.barcode, 14, '0'), 1, 13)::bigint
        not between (range.company_prefix || lpad(range.first_reference::text, size.digits, '0'))::bigint
        and (range.company_prefix || lpad(range.last_reference::text, size.digits, '0'))::bigint then 'invalid_value'
end;

-- name: count_numbers(organization_id, items)
-- Adds the GTINs of new items to the numbers of their blocks, in the order of these. Nothing is locked after them.
insert into barcode_block as counted (organization_id, block, number)
select o.id, sent.block, sent.number
from organization o
cross join (
    select left(lpad(item.barcode, 14, '0'), 10)::bigint as block, count(*) as number
    from jsonb_to_recordset($2::jsonb) as item(barcode text, type text)
    where item.type <> 'internal'
    group by left(lpad(item.barcode, 14, '0'), 10)::bigint
) as sent
where o.id = $1::bigint
order by sent.block
on conflict (organization_id, block) do update set number = counted.number + excluded.number
returning null::bigint as "barcode-ranges";

-- name: delete(organization_id, ids)
update barcode set state = 'deleted'
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
returning id, case when is_primary then style_sku_id end as "style-skus";

-- name: deleted_skus(organization_id, ids)
select id from style_sku
where organization_id = $1::bigint and id = any($2::bigint[]) and state = 'deleted';

-- name: demote(organization_id, items)
update barcode as stored set is_primary = false
from jsonb_to_recordset($2::jsonb) as item(id bigint, "styleSkuId" bigint, "isPrimary" boolean, state text)
where stored.organization_id = $1::bigint and stored.style_sku_id = item."styleSkuId" and stored.id <> item.id
    and item."isPrimary" and item.state is distinct from 'deleted'
    and stored.is_primary and stored.state <> 'deleted'
returning stored.id;

-- name: in_use(organization_id, ids)
-- GTINs of SKUs whose styles are no longer in work. Deleted styles are not named.
select
    b.id,
    'styles' as users,
    1 as uses,
    case when style.state = 'deleted' then '{}' else array[json_build_array(style.id, style.number)::text] end as first
from barcode b
cross join lateral ({{style_id from style_sku by b.style_sku_id}}) as s
cross join lateral ({{id, number, status, state from style by s.style_id}}) as style
where b.organization_id = $1::bigint and b.id = any((select $2::text::bigint[])::bigint[])
    and b.gtin14 is not null and style.status <> 'workInProgress';

-- name: insert(organization_id, items, source)
insert into barcode as stored (
    organization_id, id, barcode, type, gtin14, barcode_range_id, style_sku_id, is_primary, assigned_at, state,
    source, is_counted
)
select
    o.id,
    item.id,
    item.barcode,
    item.type,
    case when item.type <> 'internal' then lpad(item.barcode, 14, '0') end,
    item."barcodeRangeId",
    item."styleSkuId",
    item."isPrimary",
    case when item."styleSkuId" is not null then now() end,
    coalesce(item.state, 'active'),
    $3::text,
    true
from organization o
cross join jsonb_to_recordset($2::jsonb) as item(
    id bigint, barcode text, type text, "barcodeRangeId" bigint, "styleSkuId" bigint, "isPrimary" boolean, state text
)
where o.id = $1::bigint
returning stored.id, case when stored.is_primary then stored.style_sku_id end as "style-skus";

-- name: ranges_of(organization_id, items)
-- Ranges whose free numbers the new GTINs are among, allocated or not.
-- Live ranges do not overlap: of those that begin before a number, the last one may have it.
select distinct last_begun[2] as "barcode-ranges"
from (
    select number, id, last_number, max(case when id is not null then array[first_number, id, last_number] end) over (order by number, id)
            as last_begun
    from (
        select first.number as first_number, r.id, last.number as last_number, first.number
        from barcode_range r
        cross join lateral (
            select case r.type when 'gtin13' then 12 else 11 end - length(r.company_prefix) as digits
        ) as size
        cross join lateral (
            select (r.company_prefix || lpad(r.first_reference::text, size.digits, '0'))::bigint as number
        ) as first
        cross join lateral (
            select (r.company_prefix || lpad(r.last_reference::text, size.digits, '0'))::bigint as number
        ) as last
        where r.organization_id = $1::bigint and r.state <> 'deleted'
        union all
        select null, null, null, substr(lpad(sent.barcode, 14, '0'), 1, 13)::bigint
        from jsonb_to_recordset($2::jsonb) as sent(barcode text, type text)
        where sent.type <> 'internal'
    ) as event
) as begun
where id is null and number <= last_begun[3];

-- name: record
select
    b.*,
    (
        -- Ordered, as the counts of decision 0006, so that the index by id is taken.
        {{sku from style_sku by b.style_sku_id}}
    ) as sku
from barcode b
where b.organization_id = $1::bigint;

-- name: uncount(organization_id, ids)
-- Takes the GTINs of barcodes that are removed for good from the numbers of their blocks.
insert into barcode_block as counted (organization_id, block, number)
select o.id, gone.block, -gone.number
from organization o
cross join (
    select left(b.gtin14, 10)::bigint as block, count(*) as number
    from barcode b
    where b.organization_id = $1::bigint and b.id = any($2::bigint[]) and b.is_counted and b.gtin14 is not null
    group by left(b.gtin14, 10)::bigint
) as gone
where o.id = $1::bigint
order by gone.block
on conflict (organization_id, block) do update set number = counted.number + excluded.number
returning null::bigint as "barcode-ranges";

-- name: update(organization_id, items)
with present as materialized (select now() as moment)
update barcode as stored
set
    style_sku_id = item."styleSkuId",
    is_primary = item."isPrimary",
    assigned_at = case when item."styleSkuId" is null then null
        when item."styleSkuId" = stored.style_sku_id then stored.assigned_at else present.moment end,
    state = item.state
from jsonb_to_recordset($2::jsonb) as item(id bigint, "styleSkuId" bigint, "isPrimary" boolean, state text)
cross join lateral ({{* from barcode by item.id}}) as before
cross join present
where stored.organization_id = $1::bigint and stored.id = item.id
    and stored.id = any(array(select id from jsonb_to_recordset($2::jsonb) as sent(id bigint)))
    and row(stored.style_sku_id, stored.is_primary, stored.state)
        is distinct from row(item."styleSkuId", item."isPrimary", item.state)
returning stored.id,
    case when before.is_primary then before.style_sku_id end as "style-skus.before",
    case when stored.is_primary then stored.style_sku_id end as "style-skus.stored";

-- Barcode ranges (contract, Barcode ranges). Numbers are GTINs without the check digit.

-- name: blocks
-- The blocks from span.first to span.last that have stored numbers: how many of these are within, and how many free ones.
-- A block is counted as a whole, and its part outside by the index. So are rows that are not counted, of earlier releases.
select
    part.block,
    sum(part.number)::bigint as stored,
    least(part.block * 1000 + 999, span.last) - greatest(part.block * 1000, span.first) + 1 - sum(part.number)::bigint as free
from (
    select counted.block, counted.number
    from barcode_block counted
    where counted.organization_id = $1::bigint and counted.block between span.first / 1000 and span.last / 1000
    union all
    select left(b.gtin14, 10)::bigint, 1
    from barcode b
    where b.organization_id = $1::bigint and b.gtin14 is not null and not b.is_counted
        and b.gtin14 >= lpad((span.first / 1000)::text, 10, '0') and b.gtin14 < lpad((span.last / 1000 + 1)::text, 10, '0')
    union all
    select span.first / 1000, -count(*)
    from barcode b
    where b.organization_id = $1::bigint
        and b.gtin14 >= lpad((span.first / 1000)::text, 10, '0') and b.gtin14 < lpad(span.first::text, 13, '0')
    union all
    select span.last / 1000, -count(*)
    from barcode b
    where b.organization_id = $1::bigint
        and b.gtin14 >= lpad((span.last + 1)::text, 13, '0') and b.gtin14 < lpad((span.last / 1000 + 1)::text, 10, '0')
) as part(block, number)
where span.first <= span.last
group by part.block;

-- name: check_numbers(organization_id, items, deleted_ids)
-- Reports numbers that another item, or another live range, has after the request, and allocated ones that are left out.
with item as materialized (
    select sent.*
    from rows from (
        jsonb_to_recordset($2::jsonb) as (
            id bigint, type text, "companyPrefix" text, "firstReference" bigint, "lastReference" bigint, state text
        )
    ) with ordinality as sent(id, type, prefix, first, last, state, n)
    where sent.state is distinct from 'deleted'
),
live as (
    select id, type, prefix, first, last, n from item
    union all
    select r.id, r.type, r.company_prefix, r.first_reference, r.last_reference, 0
    from barcode_range r
    where r.organization_id = $1::bigint and r.state <> 'deleted'
        and r.id not in (select item.id from item union all select gone.id from unnest($3::bigint[]) as gone(id))
),
numbered as materialized (
    select
        live.*,
        (live.prefix || lpad(live.first::text, size.digits, '0'))::bigint as first_number,
        (live.prefix || lpad(live.last::text, size.digits, '0'))::bigint as last_number
    from live
    cross join lateral (
        select case live.type when 'gtin13' then 12 else 11 end - length(live.prefix) as digits
    ) as size
),
overlap as (
    -- Each with the one that ends last of those that begin before: joins would compare each with each.
    select n, id, former[2] as former_n, former[3] as former_id
    from (
        select
            numbered.*,
            max(array[last_number, n, id]) over (
                order by first_number, id rows between unbounded preceding and 1 preceding
            ) as former
        from numbered
    ) as swept
    where former[1] >= first_number
)
select
    greatest(n, former_n)::integer as item,
    case when bool_or(least(n, former_n) > 0) then 'validation_error.duplicate' else 'conflict.overlap' end as type,
    '["firstReference"]' as path,
    case when bool_or(least(n, former_n) > 0) then 'Another item of this request has some of these numbers.'
        else 'Range ' || min(case when n > 0 then former_id else id end) || ' has some of these numbers.' end as message
from overlap
group by greatest(n, former_n)
union all
select
    item.n::integer,
    'validation_error.out_of_range',
    json_build_array(case when allocated.least < item.first then 'firstReference' else 'lastReference' end)::text,
    case when allocated.least < item.first then 'Reference ' || allocated.least || ' is allocated: use it or less.'
        else 'Reference ' || allocated.most || ' is allocated: use it or more.' end
from item
cross join lateral ({{* from barcode_range by item.id}}) as r
cross join lateral (
    select case r.type when 'gtin13' then 12 else 11 end - length(r.company_prefix) as digits
) as size
cross join lateral (
    select
        substr(min(b.gtin14), 14 - size.digits, size.digits)::bigint as least,
        substr(max(b.gtin14), 14 - size.digits, size.digits)::bigint as most
    from barcode b
    where b.organization_id = $1::bigint and b.barcode_range_id = r.id
) as allocated
where allocated.least < item.first or allocated.most > item.last;

-- name: delete(organization_id, ids)
update barcode_range set state = 'deleted', is_default = false
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
returning id;

-- name: demote(organization_id, items)
update barcode_range set is_default = false
from jsonb_to_recordset($2::jsonb) as item(id bigint, "isDefault" boolean)
where barcode_range.organization_id = $1::bigint and barcode_range.is_default
    and item."isDefault" and item.id <> barcode_range.id
returning barcode_range.id;

-- name: positions(organization_id, ids)
-- The reference behind the last one that is taken.
select record.id, coalesce(record.next_reference, record.last_reference + 1) as position
from ({{record}}) as record
where record.id = any($2::bigint[]);

-- name: raise_positions(organization_id, ids, references)
update barcode_range set next_unallocated = sent.reference
from unnest($2::bigint[], $3::bigint[]) as sent(id, reference)
where barcode_range.organization_id = $1::bigint and barcode_range.id = sent.id
returning barcode_range.id;

-- name: record
-- Numbers are those of GTINs without the check digit. The next one is free in the first block that is not full; behind blocks
-- that are stored without a gap, that is the one that follows them.
select
    r.*,
    case when counted.stored < span.last - span.first + 1
        then open.first + coalesce(walked.gap, walked.number + 1) - 1 - span.base end as next_reference,
    greatest(span.last - span.first + 1, 0) - counted.stored as free
from barcode_range r
cross join lateral (
    select (r.company_prefix || repeat('0', case r.type when 'gtin13' then 12 else 11 end - length(r.company_prefix)))::bigint
            as base
) as prefix
cross join lateral (
    select
        prefix.base,
        prefix.base + greatest(r.first_reference, r.next_unallocated) as first,
        prefix.base + r.last_reference as last
) as span
cross join lateral (
    select
        coalesce(sum(ordered.stored), 0)::bigint as stored,
        coalesce(min(ordered.n) filter (where ordered.free > 0 or ordered.block >= span.first / 1000 + ordered.n), count(*) + 1)
            as first_open
    from (select block.*, row_number() over (order by block.block) as n from ({{blocks}}) as block) as ordered
) as counted
cross join lateral (
    select greatest(span.first, (span.first / 1000 + counted.first_open - 1) * 1000) as first
) as open
cross join lateral (
    select count(*) as number, min(taken.n) filter (where taken.number >= open.first + taken.n) as gap
    from (
        select left(b.gtin14, 13)::bigint as number, row_number() over (order by b.gtin14) as n
        from barcode b
        where b.organization_id = $1::bigint and span.first <= span.last
            and b.gtin14 >= lpad(open.first::text, 13, '0') and b.gtin14 < lpad((open.first / 1000 + 1)::text, 10, '0')
    ) as taken
) as walked
where r.organization_id = $1::bigint;

-- name: rewind(organization_id, items)
-- References that a range gets before its first one can be allocated.
update barcode_range set next_unallocated = 0
from jsonb_to_recordset($2::jsonb) as item(id bigint, "firstReference" bigint)
where barcode_range.organization_id = $1::bigint and barcode_range.id = item.id
    and item."firstReference" < barcode_range.first_reference
returning barcode_range.id;

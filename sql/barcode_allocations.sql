-- Allocation of barcodes (contract, Allocation of barcodes).

-- name: advance(organization_id, range_ids, references)
-- No reference below is looked at again.
update barcode_range set next_unallocated = allocated.reference
from unnest($2::bigint[], $3::bigint[]) as allocated(id, reference)
where barcode_range.organization_id = $1::bigint and barcode_range.id = allocated.id
returning barcode_range.id;

-- name: free_references(organization_id, range_ids, counts)
-- The lowest free references of ranges in their order: at least as many as are needed, if the range has so many. Blocks are
-- read up to the first one with enough free numbers up to its end, and stored numbers where blocks have free ones.
with range as materialized (
    select
        r.id,
        needed.number as needed,
        r.company_prefix as prefix,
        size.digits,
        base.number as base,
        base.number + greatest(r.first_reference, r.next_unallocated) as first,
        base.number + r.last_reference as last
    from unnest($2::bigint[], $3::bigint[]) as needed(id, number)
    cross join lateral ({{* from barcode_range by needed.id}}) as r
    cross join lateral (select case r.type when 'gtin13' then 12 else 11 end - length(r.company_prefix) as digits) as size
    cross join lateral (select (r.company_prefix || repeat('0', size.digits))::bigint as number) as base
),
span as materialized (
    select range.id, range.needed, range.first, least(range.last, coalesce(enough.block * 1000 + 999, range.last)) as last
    from range
    cross join lateral (
        select count(*) as number
        from barcode b
        where b.organization_id = $1::bigint and b.gtin14 is not null and not b.is_counted
            and b.gtin14 >= lpad(range.first::text, 13, '0') and b.gtin14 < lpad((range.last + 1)::text, 13, '0')
    ) as uncounted
    left join lateral (
        select walked.block
        from (
            select counted.block, sum(counted.number) over (order by counted.block) as number
            from barcode_block counted
            where counted.organization_id = $1::bigint and counted.block between range.first / 1000 and range.last / 1000
        ) as walked
        where (walked.block + 1) * 1000 - range.first - walked.number >= range.needed + uncounted.number
        order by walked.block
        limit 1
    ) as enough on true
),
block as materialized (
    select span.id, stored.* from span cross join lateral ({{blocks}}) as stored
),
open as materialized (
    select span.id, greatest(number * 1000, span.first) as first, least(number * 1000 + 999, reach.last) as last
    from span
    cross join lateral (
        select least(span.last, span.first + span.needed - 1 + coalesce(sum(block.stored), 0)::bigint) as last
        from block
        where block.id = span.id
    ) as reach
    cross join lateral generate_series(span.first / 1000, reach.last / 1000) as number
    left join block on block.id = span.id and block.block = number
    where span.first <= reach.last and coalesce(block.free, 1) > 0
),
stored as materialized (
    select taken.number
    from open
    cross join lateral (
        select left(b.gtin14, 13)::bigint as number
        from barcode b
        where b.organization_id = $1::bigint
            and b.gtin14 >= lpad(open.first::text, 13, '0') and b.gtin14 < lpad((open.last + 1)::text, 13, '0')
        order by b.gtin14
        limit 1000
    ) as taken
)
select
    range.id,
    free.number - range.base as reference,
    range.prefix || lpad((free.number - range.base)::text, range.digits, '0') as digits
from open
join range on range.id = open.id
cross join lateral generate_series(open.first, open.last) as free(number)
left join stored on stored.number = free.number
where stored.number is null
order by range.id, free.number;

-- name: lock_ranges(organization_id, ids, with_default)
-- Callers that allocate from one range wait for each other.
select id, is_default, state, type
from barcode_range
where organization_id = $1::bigint and (id = any($2::bigint[]) or ($3::boolean and is_default))
order by id
for no key update;

-- name: primary_gtins(organization_id, sku_ids)
select style_sku_id, id, barcode, barcode_range_id
from barcode
where organization_id = $1::bigint and style_sku_id = any($2::bigint[])
    and is_primary and gtin14 is not null and state <> 'deleted';

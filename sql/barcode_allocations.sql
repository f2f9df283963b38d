-- Allocation of barcodes (contract, Allocation of barcodes).

-- name: advance(organization_id, range_ids, references)
-- No reference below is looked at again.
update barcode_range set next_unallocated = allocated.reference
from unnest($2::bigint[], $3::bigint[]) as allocated(id, reference)
where barcode_range.organization_id = $1::bigint and barcode_range.id = allocated.id
returning barcode_range.id;

-- name: free_references(organization_id, range_ids, counts)
-- The lowest free references of ranges in their order: as many as are needed, if the range has so many. Stored numbers are read
-- up to the first one with enough free ones before it.
with range as materialized (
    select
        r.id,
        needed.number,
        greatest(r.first_reference, r.next_unallocated) as first,
        r.last_reference as last,
        r.company_prefix as prefix,
        case r.type when 'gtin13' then 12 else 11 end - length(r.company_prefix) as size
    from unnest($2::bigint[], $3::bigint[]) as needed(id, number)
    cross join lateral (
        select one.* from barcode_range one
        where one.organization_id = $1::bigint and one.id between needed.id and needed.id
        order by one.id
        limit 1
    ) as r
    -- The first reference of a range that is used up may have a digit too many.
    where greatest(r.first_reference, r.next_unallocated) <= r.last_reference
),
span as materialized (
    select
        range.*,
        least(range.last, range.first + range.number - 1 + coalesce(enough.n - 1, (
            select count(*) from barcode b
            where b.organization_id = $1::bigint
                and b.gtin14 >= lpad(range.prefix || lpad(range.first::text, range.size, '0'), 13, '0')
                and b.gtin14 <= lpad(range.prefix || lpad(range.last::text, range.size, '0'), 13, '0') || '9'
        ))) as until
    from range
    left join lateral (
        select walked.n
        from (
            select b.gtin14, row_number() over (order by b.gtin14) as n
            from barcode b
            where b.organization_id = $1::bigint
                and b.gtin14 >= lpad(range.prefix || lpad(range.first::text, range.size, '0'), 13, '0')
                and b.gtin14 <= lpad(range.prefix || lpad(range.last::text, range.size, '0'), 13, '0') || '9'
        ) as walked
        where substr(walked.gtin14, 14 - range.size, range.size)::bigint - range.first - walked.n + 1 >= range.number
        order by walked.gtin14
        limit 1
    ) as enough on true
),
stored as materialized (
    select span.id, substr(b.gtin14, 14 - span.size, span.size)::bigint as reference
    from span
    join barcode b
        on b.organization_id = $1::bigint
            and b.gtin14 >= lpad(span.prefix || lpad(span.first::text, span.size, '0'), 13, '0')
            and b.gtin14 <= lpad(span.prefix || lpad(span.until::text, span.size, '0'), 13, '0') || '9'
)
select span.id, free.reference, span.prefix || lpad(free.reference::text, span.size, '0') as digits
from span
cross join lateral generate_series(span.first, span.until) as free(reference)
left join stored on stored.id = span.id and stored.reference = free.reference
where stored.id is null
order by span.id, free.reference;

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

-- Allocation of barcodes (contract, Allocation of barcodes).

-- name: advance(organization_id, range_ids, references)
-- No reference below is looked at again.
update barcode_range set next_unallocated = allocated.reference
from unnest($2::bigint[], $3::bigint[]) as allocated(id, reference)
where barcode_range.organization_id = $1::bigint and barcode_range.id = allocated.id
returning barcode_range.id;

-- name: free_references(organization_id, range_ids, counts)
-- The lowest free references of ranges in their order: as many as are needed, or more, if the range has so many.
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
),
stored as materialized (
    select range.id, substr(b.gtin14, 14 - range.size, range.size)::bigint as reference
    from range
    join barcode b
        on b.organization_id = $1::bigint
            and b.gtin14 >= lpad(range.prefix || lpad(range.first::text, range.size, '0'), 13, '0')
            and b.gtin14 <= lpad(range.prefix || lpad(range.last::text, range.size, '0'), 13, '0') || '9'
)
select range.id, free.reference, range.prefix || lpad(free.reference::text, range.size, '0') as digits
from range
cross join lateral generate_series(
    range.first,
    least(range.last, range.first + range.number - 1 + (select count(*) from stored where stored.id = range.id))
) as free(reference)
left join stored on stored.id = range.id and stored.reference = free.reference
where stored.id is null
order by range.id, free.reference;

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

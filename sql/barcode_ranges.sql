-- Barcode ranges (contract, Barcode ranges). Numbers are GTINs without the check digit.

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
cross join lateral (
    select one.* from barcode_range one
    where one.organization_id = $1::bigint and one.id between item.id and item.id
    order by one.id
    limit 1
) as r
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
-- Stored numbers are counted from the first reference that was never allocated, by the index alone. Those that follow it
-- without a gap end at the next free one; no number behind the gap is looked at for it. The first reference of a range that is
-- used up may have a digit too many.
select
    r.*,
    case when unused.reference + coalesce(gap.n - 1, stored.number) <= r.last_reference
        then unused.reference + coalesce(gap.n - 1, stored.number) end as next_reference,
    greatest(r.last_reference - unused.reference + 1, 0) - stored.number as free
from barcode_range r
cross join lateral (
    select
        greatest(r.first_reference, r.next_unallocated) as reference,
        case r.type when 'gtin13' then 12 else 11 end - length(r.company_prefix) as digits
) as unused
cross join lateral (
    select count(*) as number
    from barcode b
    where b.organization_id = $1::bigint and unused.reference <= r.last_reference
        and b.gtin14 >= lpad(r.company_prefix || lpad(unused.reference::text, unused.digits, '0'), 13, '0')
        and b.gtin14 <= lpad(r.company_prefix || lpad(r.last_reference::text, unused.digits, '0'), 13, '0') || '9'
) as stored
left join lateral (
    select walked.n
    from (
        select b.gtin14, row_number() over (order by b.gtin14) as n
        from barcode b
        where b.organization_id = $1::bigint and unused.reference <= r.last_reference
            and b.gtin14 >= lpad(r.company_prefix || lpad(unused.reference::text, unused.digits, '0'), 13, '0')
            and b.gtin14 <= lpad(r.company_prefix || lpad(r.last_reference::text, unused.digits, '0'), 13, '0') || '9'
    ) as walked
    where substr(walked.gtin14, 14 - unused.digits, unused.digits)::bigint > unused.reference + walked.n - 1
    order by walked.gtin14
    limit 1
) as gap on true
where r.organization_id = $1::bigint;

-- name: rewind(organization_id, items)
-- References that a range gets before its first one can be allocated.
update barcode_range set next_unallocated = 0
from jsonb_to_recordset($2::jsonb) as item(id bigint, "firstReference" bigint)
where barcode_range.organization_id = $1::bigint and barcode_range.id = item.id
    and item."firstReference" < barcode_range.first_reference
returning barcode_range.id;

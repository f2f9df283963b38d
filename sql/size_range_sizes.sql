-- Sizes of size ranges (contract, Sizes).

-- name: mark_default(organization_id, defaults)
-- Set the sizes that grading starts from: $2 has pairs of a size range's id and a size's, or null.
update size_range as stored
set default_grading_size_id = (sent.pair ->> 1)::bigint
from jsonb_array_elements($2::jsonb) as sent(pair)
where stored.organization_id = $1::bigint and stored.id = (sent.pair ->> 0)::bigint
    and stored.default_grading_size_id is distinct from (sent.pair ->> 1)::bigint
returning stored.id, stored.id as "size-ranges";

-- name: needed(organization_id, size_ids, size_range_ids)
-- Return the sizes among $2 in use outside of the size ranges $3.
select gone.id
from unnest($2::bigint[]) as gone(id)
where exists (
        select 1 from sample_request_size requested
        where requested.organization_id = $1::bigint and requested.size_range_size_id = gone.id
    )
    or exists (
        select 1 from measurement_line_value charted
        where charted.organization_id = $1::bigint and charted.size_range_size_id = gone.id
    )
    or exists (
        select 1 from style_sku
        where style_sku.organization_id = $1::bigint and style_sku.size_range_size_id = gone.id
    )
    or exists (
        select 1 from custom_field_value entry
        where entry.organization_id = $1::bigint and entry.size_range_size_id = gone.id
    )
    or exists (
        select 1 from style_price price
        where price.organization_id = $1::bigint and price.size_range_size_id = gone.id
    )
    or exists (
        select 1 from style_item_size entry
        where entry.organization_id = $1::bigint and entry.size_range_size_id = gone.id
    )
    or exists (
        select 1 from size_range_size other
        where other.organization_id = $1::bigint and other.related_size_range_size_id = gone.id
            and other.size_range_id <> all($3::bigint[])
    );

-- name: shown_in_measurements(organization_id, ids)
select sample_request_id as id from sample_request_size
where organization_id = $1::bigint and size_range_size_id = any($2::bigint[]);

-- name: sizes
-- Part of documents and writables.
select size.*, page.default_grading_size_id is not distinct from size.id as is_default_grading
from size_range_size size
where size.organization_id = $1::bigint and size.size_range_id = page.id

-- name: tell_order(organization_id, ids, positions)
-- Record changes of what has two sizes that change places, before the sizes $2 move to the positions $3.
with size as materialized (
    select stored.id, stored.size_range_id, stored.position, coalesce(sent.position, stored.position) as new_position
    from size_range_size stored
    left join unnest($2::bigint[], $3::bigint[]) as sent(id, position) on sent.id = stored.id
    where stored.organization_id = $1::bigint
        and stored.size_range_id in (
            select moved.size_range_id
            from size_range_size moved
            where moved.organization_id = $1::bigint and moved.id = any($2::bigint[])
        )
),
passed as materialized (
    select size.id, array_agg(other.id) as others
    from size
    join size other on other.size_range_id = size.size_range_id
        and (other.position, other.id) < (size.position, size.id)
        and (other.new_position, other.id) > (size.new_position, size.id)
    group by size.id
)
select requested.sample_request_id as "sample-requests.form", requested.sample_request_id as measurements, null::bigint as "measurement-charts.form"
from passed
join sample_request_size requested on requested.organization_id = $1::bigint and requested.size_range_size_id = passed.id
where exists (
    select 1 from sample_request_size other
    where other.organization_id = $1::bigint and other.sample_request_id = requested.sample_request_id
        and other.size_range_size_id = any(passed.others)
)
union
select null, null, line.style_id
from passed
join measurement_line_value charted on charted.organization_id = $1::bigint and charted.size_range_size_id = passed.id
cross join lateral ({{* from measurement_line by charted.measurement_line_id}}) as line
where exists (
    select 1 from measurement_line_value other
    where other.organization_id = $1::bigint and other.measurement_line_id = charted.measurement_line_id
        and other.size_range_size_id = any(passed.others)
);

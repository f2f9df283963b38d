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

-- name: shown_in_measurement_charts(organization_id, ids)
select line.style_id as id
from measurement_line_value charted
join measurement_line line on line.organization_id = $1::bigint and line.id = charted.measurement_line_id
where charted.organization_id = $1::bigint and charted.size_range_size_id = any($2::bigint[]);

-- name: shown_in_measurements(organization_id, ids)
select sample_request_id as id from sample_request_size
where organization_id = $1::bigint and size_range_size_id = any($2::bigint[]);

-- name: shown_in_sample_requests(organization_id, ids)
select sample_request_id as id from sample_request_size
where organization_id = $1::bigint and size_range_size_id = any($2::bigint[]);

-- name: shown_in_style_skus(organization_id, ids)
select id from style_sku where organization_id = $1::bigint and size_range_size_id = any($2::bigint[]);

-- name: sizes
-- Part of documents and writables.
select size.*, page.default_grading_size_id is not distinct from size.id as is_default_grading
from size_range_size size
where size.organization_id = $1::bigint and size.size_range_id = page.id

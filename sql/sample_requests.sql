-- Requests for samples of one style ($2), and the sizes that were asked for.

-- name: documents
with record as (
    select r.* from sample_request r where r.organization_id = $1::bigint and r.style_id = $2::bigint
),
page as materialized (
    {{page}}
),
sizes as (
    select
        requested.sample_request_id,
        string_agg(
            '{"sizeRangeSizeId":' || s.id || ',"sizeRangeSizeName":' || to_json(s.name) || '}', ',' order by s.id
        ) as documents
    from sample_request_size requested
    join size_range_size s on s.organization_id = $1::bigint and s.id = requested.size_range_size_id
    where requested.organization_id = $1::bigint
        and requested.sample_request_id = any(array(select id from page))
    group by requested.sample_request_id
)
select
    page_order,
    sort_values,
    '{"id":' || id
    || ',"name":' || to_json(name)
    || ',"requestedAt":"' || to_char(requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    || '","sizes":[' || coalesce(sizes.documents, '') || ']}' as document
from page
left join sizes on sizes.sample_request_id = page.id;

-- name: unknown_parent
select 'styleId' as parameter
where not exists (select 1 from style where organization_id = $1::bigint and id = $2::bigint);

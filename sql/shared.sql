-- Statements that serve every resource. Slots are filled from the registry alone.

-- name: collect_batch
select array_agg(page_order) as ids, array_agg(convert_to(document, 'UTF8')) as documents
from ({{documents}}) as page;

-- name: collect_page
select
    convert_to(
        coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= {{size}}), ''), 'UTF8'
    ) as documents,
    max(sort_values) as last_values,
    coalesce(max(page_order), 0) > {{size}} as has_more
from ({{documents}}) as page;

-- name: lock_organization
select id from organization where id = $1::bigint for no key update;

-- name: lock_records
select id, state from {{table}}
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
{{strength}};

-- name: next_ids
select nextval(pg_get_serial_sequence($1::text, 'id')) as id from generate_series(1, $2::integer);

-- name: owned_by_any
select id from {{table}} where id = any($1::bigint[]);

-- Styles (contract, Styles).

-- name: charted_in(organization_id, ids, size_range_ids)
-- Return the styles among $2 whose charts have values in sizes of the size ranges $3.
select distinct line.style_id as id
from measurement_line line
join measurement_line_value charted
    on charted.organization_id = $1::bigint and charted.measurement_line_id = line.id
join size_range_size size on size.organization_id = $1::bigint and size.id = charted.size_range_size_id
where line.organization_id = $1::bigint and line.style_id = any($2::bigint[])
    and size.size_range_id = any($3::bigint[]);

-- name: hold_size_ranges(organization_id, ids)
-- Lock the size ranges in which the charts of the styles $2 have values, until the end of the transaction.
select owner.id, owner.state
from size_range owner
where owner.organization_id = $1::bigint
    and owner.id = any(array(
        select size.size_range_id
        from measurement_line line
        join measurement_line_value charted
            on charted.organization_id = $1::bigint and charted.measurement_line_id = line.id
        join size_range_size size
            on size.organization_id = $1::bigint and size.id = charted.size_range_size_id
        where line.organization_id = $1::bigint and line.style_id = any($2::bigint[])
    ))
order by owner.id
for key share;

-- name: more
-- Part of documents and writables: the groups of each style.
left join lateral (
    select string_agg(stored.group_id::text, ',' order by stored.group_id) as group_ids
    from style_in_group stored
    where stored.organization_id = $1::bigint and stored.style_id = page.id
) as linked on true;

-- name: shown_in_style_relations(organization_id, ids)
select id from style_relation
where organization_id = $1::bigint and related_style_id = any($2::bigint[]);

-- name: tell_deleted(organization_id, ids)
-- Record changes of the groups, which count one style less.
select group_id as groups from style_in_group
where organization_id = $1::bigint and style_id = any((select $2::text::bigint[])::bigint[]);

-- name: tell_restored(organization_id, items)
-- Record changes of the groups, which count one style more.
select linked.group_id as groups
from jsonb_to_recordset($2::jsonb) as item(id bigint, state text)
join style stored on stored.organization_id = $1::bigint and stored.id = item.id
join style_in_group linked on linked.organization_id = $1::bigint and linked.style_id = item.id
where stored.state = 'deleted' and item.state <> 'deleted';

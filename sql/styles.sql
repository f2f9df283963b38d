-- Styles (contract, Styles).

-- name: more
-- A part of documents and writables: the groups of each style.
left join lateral (
    select string_agg(stored.group_id::text, ',' order by stored.group_id) as group_ids
    from style_in_group stored
    where stored.organization_id = $1::bigint and stored.style_id = page.id
) as linked on true;

-- name: shown_in_style_relations
select id from style_relation
where organization_id = $1::bigint and related_style_id = any($2::bigint[]);

-- name: tell_deleted
-- Groups count one style less.
select group_id as groups from style_in_group
where organization_id = $1::bigint and style_id = any((select $2::text::bigint[])::bigint[]);

-- name: tell_restored
-- Groups count one style more.
select linked.group_id as groups
from jsonb_to_recordset($2::jsonb) as item(id bigint, state text)
join style stored on stored.organization_id = $1::bigint and stored.id = item.id
join style_in_group linked on linked.organization_id = $1::bigint and linked.style_id = item.id
where stored.state = 'deleted' and item.state <> 'deleted';

-- Groups of styles (contract, Groups).

-- name: record
select
    g.*,
    (
        select count(*)
        from style_in_group l
        join style s on s.organization_id = $1::bigint and s.id = l.style_id
        where l.organization_id = $1::bigint and l.group_id = g.id and s.state <> 'deleted'
    ) as used_in_styles
from style_group g
where g.organization_id = $1::bigint;

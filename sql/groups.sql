-- Groups of styles (contract, Groups).

-- name: record
-- Styles are looked up in an order that the primary key alone has (decision 0006).
select
    g.*,
    (
        select count(*)
        from style_in_group l
        where l.organization_id = $1::bigint and l.group_id = g.id
            and (
                select true from style s
                where s.organization_id = $1::bigint and s.id between l.style_id and l.style_id and s.state <> 'deleted'
                order by s.id
                limit 1
            )
    ) as used_in_styles
from style_group g
where g.organization_id = $1::bigint;

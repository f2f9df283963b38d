-- Seasons (contract, Seasons).

-- name: record
-- Styles are counted in an order that the index by season alone has (decision 0006).
select
    n.*,
    (
        select count(*)
        from (
            select 1 from style s
            where s.organization_id = $1::bigint and s.season_id between n.id and n.id and s.state <> 'deleted'
            order by s.season_id
        ) as live
    ) as used_in_styles
from season n
where n.organization_id = $1::bigint;

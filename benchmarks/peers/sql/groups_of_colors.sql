select
    l.color_id as "colorId",
    g.id,
    g.name,
    g.user_defined_id as "userDefinedId",
    g.state
from color_in_group l
join color_group g on g.organization_id = l.organization_id and g.id = l.color_group_id
where l.organization_id = $1 and l.color_id = any($2::bigint[])
order by g.id

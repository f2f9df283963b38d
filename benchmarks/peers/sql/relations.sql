select
    r.id,
    r.style_id as "styleId",
    r.related_style_id as "relatedStyleId",
    s.number as "relatedStyleNumber",
    s.name as "relatedStyleName"
from style_relation r
join style s on s.organization_id = r.organization_id and s.id = r.related_style_id
where r.organization_id = $1 and r.id > $2
order by r.id
limit $3

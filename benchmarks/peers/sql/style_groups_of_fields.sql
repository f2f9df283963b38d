select l.custom_field_id as "fieldId", t.id, t.name
from custom_field_group l
join style_group t on t.organization_id = l.organization_id and t.id = l.group_id
where l.organization_id = $1 and l.custom_field_id = any($2::bigint[])
order by t.id

select l.custom_field_id as "fieldId", t.id, t.name
from custom_field_brand l
join brand t on t.organization_id = l.organization_id and t.id = l.brand_id
where l.organization_id = $1 and l.custom_field_id = any($2::bigint[])
order by t.id

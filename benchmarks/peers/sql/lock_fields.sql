select id, type, parent_custom_field_id as "parentCustomFieldId"
from style_custom_field
where organization_id = $1 and id = any($2::bigint[])
order by id
for no key update

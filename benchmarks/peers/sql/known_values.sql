select id, custom_field_id as "fieldId"
from style_allowed_value
where organization_id = $1 and id = any($2::bigint[])

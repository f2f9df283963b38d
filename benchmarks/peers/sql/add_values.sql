insert into style_allowed_value (
    organization_id, custom_field_id, value, user_defined_id, is_default_value, parent_allowed_value_id
)
select $1, item.field_id, item.value, item.user_defined_id, coalesce(item.is_default_value, false), item.parent_id
from unnest($2::bigint[], $3::text[], $4::text[], $5::boolean[], $6::bigint[])
    as item(field_id, value, user_defined_id, is_default_value, parent_id)
